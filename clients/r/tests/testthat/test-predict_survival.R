test_that("rows keep their order, values and types, and get the answers of single predictions", {
  skip_without_service()
  sites <- data.frame(
    latitude = c(44.12, 45.3, 44.12), longitude = c(-122.03, -121.9, -122.03),
    species_code = factor(c("PSME", "TSHE", "PSME")), planting_method = c("manual", "drone_seeded", "drone_seeded"),
    elevation_m = c(NA, 900, NA), crew = c("a, \"b\"", NA, "c"), day = as.Date("2026-03-01") + 0:2
  )
  attr(sites$crew, "label") <- "Planting crew"
  answer <- predict_survival(sites, progress = FALSE)
  expect_identical(answer[names(sites)], sites)
  expect_true(all(is.na(answer$error_code)))
  expect_equal(answer$survival_5[1], survival_of(44.12, -122.03, "PSME", "manual", 5))
  expect_equal(answer$survival_1[3], survival_of(44.12, -122.03, "PSME", "drone_seeded", 1))
  expect_type(answer$factor_5_1, "character")
})

test_that("points in another reference system are the same places", {
  skip_without_service()
  degrees <- sf::st_as_sf(data.frame(x = -122.03, y = 44.12), coords = c("x", "y"), crs = 4326)
  utm <- sf::st_transform(degrees, 32610)
  ask <- function(sites) predict_survival(sites, "PSME", "manual", horizons = 5, progress = FALSE)
  expect_s3_class(ask(utm), "sf")
  expect_equal(ask(utm)$survival_5, ask(degrees)$survival_5)
  expect_identical(sf::st_geometry(ask(utm)), sf::st_geometry(utm))
})

test_that("a row with an error keeps the others, and says what was wrong", {
  skip_without_service()
  sites <- data.frame(latitude = c(44.12, 10, NA), longitude = c(-122.03, -122, -122))
  answer <- predict_survival(sites, "PSME", "manual", intervals = TRUE, progress = FALSE)
  expect_equal(answer$error_code, c(NA, "outside_coverage", "invalid_request"))
  expect_equal(is.na(answer$survival_3), c(FALSE, TRUE, TRUE))
  expect_lte(answer$low_3[1], answer$survival_3[1])
  expect_gte(answer$high_3[1], answer$survival_3[1])
})

test_that("an input without rows has an answer with all columns", {
  skip_without_service()
  none <- predict_survival(data.frame(latitude = numeric(0), longitude = numeric(0)), "PSME", "manual", progress = FALSE)
  expect_equal(nrow(none), 0)
  expect_true(all(c("survival_1", "error_code") %in% names(none)))
})

test_that("a refusal is a condition with the code, status and request id of the service", {
  skip_without_service()
  expect_error(
    predict_survival(data.frame(latitude = 44.12, longitude = -122.03), "PSME", "manual", horizons = 2, progress = FALSE),
    class = "nurselog_invalid_request"
  )
  error <- tryCatch(rank_species(10, -122), nurselog_error = identity)
  expect_s3_class(error, "nurselog_outside_coverage")
  expect_equal(error$status, 422L)
  expect_match(error$details$suggestion, "GET /v1/coverage")
  expect_false(is.null(error$request_id))
  wrong <- paste0("nurse_live_", strrep("0", 32))
  expect_error(rank_species(44.12, -122.03, key = wrong), class = "nurselog_invalid_api_key")
})

test_that("sites that cannot be read are refused before anything is sent", {
  expect_error(predict_survival(data.frame(x = 1), "PSME", "manual"), "latitude and longitude")
  expect_error(predict_survival(data.frame(latitude = 1, longitude = 2), "PSME"), "planting_method")
  expect_error(predict_survival(data.frame(PLACE, row = 1:4), c("PSME", "TSHE"), "manual"), "one for each site")
  points <- sf::st_sf(geometry = sf::st_sfc(sf::st_point(c(1, 2))))
  expect_error(predict_survival(points, "PSME", "manual"), "coordinate reference system")
  twice <- data.frame(PLACE, elevation_m = 1, elevation_m = 2, check.names = FALSE)
  expect_error(predict_survival(twice, "PSME", "manual"), "the column elevation_m twice")
  answered <- data.frame(latitude = 44.12, longitude = -122.03, region = "US-OR", low_3 = 0.5)
  expect_error(predict_survival(answered, "PSME", "manual"), "of the answer: region, low_3")
})

test_that("options are sent with a decimal point, whatever decimal mark R prints", {
  skip_without_service()
  before <- options(OutDec = ",")
  on.exit(options(before))
  answer <- predict_survival(data.frame(PLACE), "PSME", "manual", warming_c = 1.5, progress = FALSE)
  expect_true(is.na(answer$error_code))
})

test_that("64-bit integers, as databases have them, are sent with their values", {
  heights <- structure(900 * 2^-1074, class = "integer64") # as bit64 has 900
  registerS3method("as.character", "integer64", function(x, ...) as.character(unclass(x) / 2^-1074))
  expect_equal(cell_text(heights), "900")
})

test_that("a species of NA is a missing species", {
  skip_without_service()
  sites <- data.frame(PLACE, species_code = NA)
  missing <- predict_survival(sites, planting_method = "manual", progress = FALSE)
  expect_equal(missing$error_code, "invalid_request")
})

test_that("rows with more bytes than the tier of the key allows are sent in smaller parts", {
  skip_without_service()
  sites <- data.frame(PLACE, species_code = c(rep(strrep("X", 8000), 149), "PSME"), row = 1:150)
  answer <- predict_survival(sites, planting_method = "manual", progress = FALSE, key = Sys.getenv("TEST_MYCEL_KEY"))
  expect_identical(answer[names(sites)], sites)
  expect_equal(answer$error_code, c(rep("invalid_species", 149), NA))
})

test_that("an error keeps the sites that were answered before it", {
  skip_without_service()
  sites <- data.frame(PLACE, row = 1:1500)
  error <- tryCatch(
    predict_survival(sites, "PSME", "manual", horizons = 5, progress = FALSE, key = Sys.getenv("TEST_SPORE_KEY")),
    nurselog_error = identity
  )
  expect_s3_class(error, "nurselog_rate_limit_exceeded")
  # The first of the day's 100 requests was refused as too large; the other 99 had 10 sites each.
  expect_identical(error$answered$row, 1:990)
  expect_equal(unique(error$answered$survival_5), survival_of(44.12, -122.03, "PSME", "manual", 5))
})

test_that("a response that is not one of the service is an error of the package, never an empty answer", {
  skip_without_service()
  skip_on_os("windows") # has no fork
  unit <- sf::st_as_sf(data.frame(x = -122.03, y = 44.12), coords = c("x", "y"), crs = 4326)
  calls <- list(
    function(url) predict_survival(data.frame(PLACE), "PSME", "manual", progress = FALSE, url = url),
    function(url) rank_species(PLACE$latitude, PLACE$longitude, url = url),
    function(url) plan_units(sf::st_sf(geometry = sf::st_buffer(sf::st_geometry(unit), 500)), url = url),
    function(url) surface("PSME", url = url)
  )
  proxy_error <- '{"error":"denied"}'
  odd_error <- '{"error":{"code":5,"message":["a"],"details":7}}'
  responses <- list(c("200 OK", "<p>Please log in.</p>"), c("200 OK", "{}"), c("200 OK", ""))
  for (response in c(responses, list(c("400 Bad", proxy_error), c("400 Bad", odd_error)))) for (call in calls) {
    server <- server_with(c(paste("HTTP/1.1", response[1]), "Connection: close", "", response[2]))
    expect_error(call(server$url), class = "nurselog_unexpected_response")
    server$end()
  }
})

test_that("a key with a line break is refused before anything is sent", {
  expect_error(rank_species(44.12, -122.03, key = "nurse_live_0\n"), "characters that no key has")
})

test_that("a URL without http:// or https:// is refused before anything is sent, without a key in it", {
  for (url in c("localhost:8080", "ftp://localhost", "")) {
    expect_error(rank_species(44.12, -122.03, url = url), paste0("http:// or https://, not be \"", url, "\"."), fixed = TRUE)
  }
  error <- expect_error(rank_species(44.12, -122.03, url = "nurse_live_0123"), class = "nurselog_error")
  expect_false(grepl("0123", conditionMessage(error)))
})

test_that("practice is taken from its column, then from the argument", {
  skip_without_service()
  sites <- data.frame(latitude = 44.12, longitude = -122.03, seeds_per_spot = c(3, NA))
  few <- predict_survival(sites, "PSME", "drone_seeded", horizons = 1, seeds_per_spot = 3, progress = FALSE)
  expect_equal(few$survival_1[1], few$survival_1[2])
  usual <- predict_survival(sites, "PSME", "drone_seeded", horizons = 1, progress = FALSE)
  expect_equal(usual$survival_1[1], few$survival_1[1])
  expect_gt(usual$survival_1[2], usual$survival_1[1])
})

test_that("practice with several values is refused with the name of a column for it", {
  skip_without_service()
  expect_error(
    predict_survival(data.frame(PLACE), "PSME", "manual", vegetation_control = c(0, 1), progress = FALSE),
    "`vegetation_control` must be one value: a column of `sites` with this name has one for each site.",
    fixed = TRUE
  )
})

test_that("horizons are sent in digits, however numbers are shown", {
  skip_without_service()
  old <- options(scipen = -10)
  on.exit(options(old))
  answer <- predict_survival(data.frame(PLACE), "PSME", "manual", horizons = c(1, 5), progress = FALSE)
  expect_equal(answer$survival_5, survival_of(44.12, -122.03, "PSME", "manual", 5))
})

test_that("an elevation with a unit is converted to metres", {
  skip_without_service()
  elevation_of <- function(elevation) {
    sites <- data.frame(PLACE)
    sites$elevation_m <- elevation
    predict_survival(sites, "PSME", "manual", progress = FALSE)$survival_5
  }
  expect_equal(elevation_of(units::set_units(1000 / 0.3048, "ft")), elevation_of(1000))
  ranked_at <- function(elevation) rank_species(PLACE$latitude, PLACE$longitude, elevation_m = elevation)
  expect_equal(ranked_at(units::set_units(1000 / 0.3048, "ft")), ranked_at(1000))
  expect_equal(ranked_at(NA), ranked_at(NULL))
})
