library(testthat)
library(nurselog)

test_check("nurselog")
