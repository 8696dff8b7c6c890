# The tests call a running service: NURSELOG_URL and NURSELOG_API_KEY name it and a key of tier hypha, and
# TEST_MYCEL_KEY and TEST_SPORE_KEY are unused ones of these tiers.
skip_without_service <- function() {
  skip_if(Sys.getenv("NURSELOG_API_KEY") == "", "NURSELOG_API_KEY names no key of a running service")
}

# A server that answers one request with the lines: its `url`, and a function that ends it.
server_with <- function(lines) {
  listener <- NULL
  while (is.null(listener)) {
    port <- sample(20000:30000, 1)
    listener <- tryCatch(serverSocket(port), error = function(error) NULL)
  }
  server <- parallel::mcparallel({
    connection <- socketAccept(listener, blocking = TRUE, open = "r+b", timeout = 60)
    length <- 0L
    while (nzchar(line <- readLines(connection, 1))) {
      if (grepl("^content-length:", line, ignore.case = TRUE)) length <- as.integer(sub(".*: *", "", line))
    }
    readChar(connection, length, useBytes = TRUE)
    writeLines(lines, connection, sep = "\r\n")
    close(connection)
  })
  end <- function() {
    close(listener)
    parallel::mccollect(server)
  }
  list(url = paste0("http://127.0.0.1:", port), end = end)
}

PLACE <- list(latitude = 44.12, longitude = -122.03)

# A single prediction, asked for without the functions that are tested.
survival_of <- function(latitude, longitude, species_code, planting_method, year) {
  request <- httr2::request(paste0(Sys.getenv("NURSELOG_URL"), "/v1/predict"))
  request <- httr2::req_headers(request, `X-API-Key` = Sys.getenv("NURSELOG_API_KEY"))
  request <- httr2::req_body_json(request, list(
    latitude = latitude, longitude = longitude, species_code = species_code, planting_method = planting_method
  ), digits = 15)
  predictions <- httr2::resp_body_json(httr2::req_perform(request))$predictions
  Find(function(each) each$horizon_years == year, predictions)$survival_probability
}
