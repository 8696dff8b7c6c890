test_that("a ranking is in the order of the survival at its longest horizon", {
  skip_without_service()
  ranking <- rank_species(PLACE$latitude, PLACE$longitude, horizons = c(1, 5))
  expect_equal(ranking$rank, seq_len(nrow(ranking)))
  expect_false(is.unsorted(rev(ranking$survival_5)))
  expect_true(all(ranking$in_native_range))
  psme <- ranking[ranking$species_code == "PSME" & ranking$planting_method == "manual", ]
  expect_equal(psme$survival_5, survival_of(44.12, -122.03, "PSME", "manual", 5))
})

test_that("units in feet of the state plane have their area, options and costs", {
  skip_without_service()
  box <- sf::st_as_sfc(sf::st_bbox(c(xmin = -122.05, ymin = 44.1, xmax = -122.03, ymax = 44.12), crs = 4326))
  units <- sf::st_sf(name = c("A-17", "sea"), geometry = c(box, box - c(4, 0)), crs = 4326)
  plan <- plan_units(
    sf::st_transform(units, 2269), id = "name", species_codes = "PSME", costs = c(manual = 1.2, drone_seeded = 0.35)
  )
  expect_equal(plan$unit, c("A-17", "A-17", "sea"))
  expect_equal(plan$rank[1:2], 1:2)
  # 0.02 degrees are 2.222 km from south to north and, at 44.11 degrees north, 1.600 km from west to east.
  expect_equal(plan$area_ha[1], 222.2 * 1.6, tolerance = 0.01)
  cost <- c(manual = 1.2, drone_seeded = 0.35)[plan$planting_method[1:2]]
  expect_equal(plan$cost_per_survivor[1:2], unname(round(cost / plan$mean[1:2], 4)), tolerance = 1e-4)
  expect_equal(is.na(plan$error_code), c(TRUE, TRUE, FALSE))
})

test_that("units whose parts touch within an edge are planned from any reference system", {
  skip_without_service()
  ring <- function(...) 100 * matrix(c(...), ncol = 2, byrow = TRUE) + rep(c(575000, 4884000), each = 4)
  square <- list(rbind(ring(0, 0, 4, 0, 4, 4, 0, 4), c(575000, 4884000)))
  beside <- list(
    ring(4, 1, 6, 0, 6, 3, 4, 1), ring(0, 1, -2, 0, -2, 3, 0, 1), ring(1, 4, 0, 6, 3, 6, 1, 4),
    ring(1, 0, 0, -2, 3, -2, 1, 0)
  )
  shapes <- sf::st_sfc(lapply(beside, function(part) sf::st_multipolygon(list(square, list(part)))), crs = 26910)
  expect_true(all(sf::st_is_valid(shapes)))
  expect_false(all(sf::st_is_valid(sf::st_set_crs(sf::st_transform(shapes, 4326), NA))))
  plan <- plan_units(sf::st_sf(geometry = shapes), species_codes = "PSME", planting_methods = "manual")
  expect_equal(plan$error_message, rep(NA_character_, 4))
  expect_equal(plan$area_ha, as.numeric(sf::st_area(shapes)) / 10000, tolerance = 0.002) # the scale of UTM is not 1
})

test_that("more units than a request may have are planned, each with what to order", {
  skip_without_service()
  corners <- expand.grid(x = seq(-122.3, by = 0.003, length.out = 13), y = seq(44, by = 0.003, length.out = 40))
  boxes <- Map(function(x, y) {
    sf::st_polygon(list(cbind(c(x, x + 0.002, x + 0.002, x, x), c(y, y, y + 0.002, y + 0.002, y))))
  }, corners$x, corners$y)
  units <- sf::st_sf(name = sprintf("U-%d", 1:520), geometry = sf::st_sfc(boxes, crs = 4326))
  plan <- plan_units(
    units, id = "name", species_codes = "PSME", planting_methods = "manual", costs = c(manual = 1.2),
    target_per_ha = 500, basis = "low"
  )
  expect_equal(plan$unit, units$name)
  expect_equal(plan$order_per_ha, ceiling(500 / plan$low))
  expect_equal(plan$order_total, ceiling(500 / plan$low * plan$area_ha))
  expect_equal(plan$order_cost, round(plan$order_total * 1.2, 2))
})

test_that("units that need too many predictions for one request are divided", {
  skip_without_service()
  corners <- expand.grid(x = c(-123.2, -122.7, -122.2), y = c(43.5, 44))
  boxes <- Map(function(x, y) {
    sf::st_as_sfc(sf::st_bbox(c(xmin = x, ymin = y, xmax = x + 0.45, ymax = y + 0.45), crs = 4326))[[1]]
  }, corners$x, corners$y)
  plan <- plan_units(sf::st_sf(geometry = sf::st_sfc(boxes, crs = 4326)), native_only = FALSE)
  options <- as.data.frame(table(plan$unit), stringsAsFactors = FALSE)
  expect_equal(options$Var1, as.character(1:6))
  expect_gt(sum(plan$data_points), 200000) # an option predicts at each point
  expect_true(all(is.na(plan$error_code)))
})

test_that("units keep numbers as ids, and none are an answer with all columns", {
  skip_without_service()
  box <- sf::st_as_sfc(sf::st_bbox(c(xmin = -122.05, ymin = 44.1, xmax = -122.03, ymax = 44.12), crs = 4326))
  units <- sf::st_sf(number = c(1e5, 2^53 - 1), geometry = c(box, box), crs = 4326)
  ask <- function(units) plan_units(units, "number", "PSME", "drone_seeded", conditions = c(seeds_per_spot = 3))
  plan <- ask(units)
  expect_equal(plan$unit, c("100000", "9007199254740991"))
  expect_lt(plan$mean[1], 0.05)
  expect_identical(plan_units(units, "number", "PSME", conditions = list()), plan_units(units, "number", "PSME"))
  expect_identical(lapply(ask(units[0, ]), class), lapply(plan, class))
  units$number[2] <- NA
  expect_error(ask(units), "unit without an id in the column number")
})

test_that("ids that are not unique are refused before anything is sent", {
  boxes <- sf::st_sfc(sf::st_polygon(), sf::st_polygon(), crs = 4326)
  expect_error(plan_units(sf::st_sf(name = c("A", "A"), geometry = boxes), id = "name"), "several units A:")
})

test_that("a unit that is no polygon is named", {
  shapes <- sf::st_sfc(sf::st_polygon(), sf::st_point(c(-122, 44)), crs = 4326)
  units <- sf::st_sf(name = c("A-17", "A-18"), geometry = shapes)
  expect_error(plan_units(units, id = "name"), "unit A-18 must be a polygon, not POINT")
})

test_that("a missing column of ids is named with the existing columns", {
  units <- sf::st_sf(stand = "A-17", geometry = sf::st_sfc(sf::st_polygon(), crs = 4326))
  for (id in c("stnad", "geometry")) {
    expect_error(plan_units(units, id = id), paste0("no column ", id, ": its columns are stand."), fixed = TRUE)
  }
})

test_that("a surface has the survival of its points in the cells that hold them", {
  skip_without_service()
  map <- surface("PSME", c(xmin = -122.2, ymin = 44, xmax = -122, ymax = 44.2), intervals = TRUE)
  expect_equal(terra::crs(map, describe = TRUE)$code, "4326")
  bands <- paste(rep(c("manual", "drone_seeded"), each = 3), c(1, 3, 5), sep = "_")
  expect_equal(names(map), c(bands, paste(c("low", "high"), rep(bands, each = 2), sep = "_")))
  middle <- terra::xyFromCell(map, which(!is.na(terra::values(map)[, "manual_5"]))[1])
  value <- terra::extract(map[["manual_5"]], middle)[1, 1]
  expect_equal(value, survival_of(middle[2], middle[1], "PSME", "manual", 5), tolerance = 1e-6)
})

test_that("a box in a projection has all of its edges, which are curved in degrees", {
  corners <- sf::st_sfc(sf::st_point(c(-123.9, 44.6)), sf::st_point(c(-118, 44.9)), crs = 4326)
  box <- sf::st_bbox(sf::st_transform(corners, 2992))
  middle <- sf::st_point(c((box[["xmin"]] + box[["xmax"]]) / 2, box[["ymax"]]))
  north <- sf::st_coordinates(sf::st_transform(sf::st_sfc(middle, crs = 2992), 4326))[, "Y"]
  expect_gte(box_in_degrees(box)[4], north)
  degrees <- sf::st_bbox(c(xmin = -122.2, ymin = 44, xmax = -122, ymax = 44.2), crs = 4269)
  expect_equal(box_in_degrees(degrees), c(-122.2, 44, -122, 44.2))
})

test_that("a species code with any characters is refused as one that the service does not know", {
  skip_without_service()
  error <- expect_error(surface("PS ME/%41?"), class = "nurselog_invalid_species")
  expect_match(conditionMessage(error), "PS ME/%41?", fixed = TRUE)
})

test_that("a box of unnamed numbers is refused, because their order is not known", {
  expect_error(surface("PSME", c(-122.2, 44, -122, 44.2)), "must have the names xmin, ymin, xmax, ymax")
})

test_that("a connection has a limit of time, and httr2 is not asked for a single try, which some versions refuse", {
  skip_without_service()
  rank_species(PLACE$latitude, PLACE$longitude)
  request <- httr2::last_request()
  expect_equal(request$options$connecttimeout, 10)
  expect_false(identical(request$policies$retry_max_tries, 1))
})

test_that("the variable that names a proxy for an address is known", {
  variables <- c("http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
  before <- as.list(Sys.getenv(variables)[nzchar(Sys.getenv(variables))])
  Sys.unsetenv(variables)
  on.exit({
    Sys.unsetenv(variables)
    if (length(before) > 0) do.call(Sys.setenv, before)
  })
  expect_equal(or_proxy("http://127.0.0.1:9"), "")
  Sys.setenv(http_proxy = "http://127.0.0.1:19")
  expect_equal(or_proxy("HTTP://127.0.0.1:9"), ", or from the proxy that http_proxy names, unless no_proxy lists the host")
  expect_equal(or_proxy("https://127.0.0.1:9"), "")
  Sys.setenv(ALL_PROXY = "http://127.0.0.1:19")
  expect_equal(or_proxy("https://127.0.0.1:9"), ", or from the proxy that ALL_PROXY names, unless no_proxy lists the host")
})

test_that("a redirect is an error and not followed, because it would send the key elsewhere", {
  skip_without_service()
  skip_on_os("windows") # has no fork
  location <- paste0("Location: ", Sys.getenv("NURSELOG_URL"), "/v1/predict/rank")
  server <- server_with(c("HTTP/1.1 307 Moved", location, "Content-Length: 0", "Connection: close", ""))
  on.exit(server$end())
  error <- expect_error(
    rank_species(PLACE$latitude, PLACE$longitude, url = server$url), class = "nurselog_unexpected_response"
  )
  expect_equal(error$status, 307L)
})

test_that("a Retry-After beyond the longest wait ends the attempts, as seconds or as a date", {
  skip_without_service()
  skip_on_os("windows") # has no fork
  body <- '{"error":{"code":"overloaded","message":"Full\\u001b[2J\\u009b2J\\tall"}}'
  for (wait in c("3600", "Sat, 28 Nov 2026 13:00:00 GMT")) {
    server <- server_with(c(
      "HTTP/1.1 503 Busy", "Date: Sat, 28 Nov 2026 12:00:00 GMT", paste("Retry-After:", wait), "Connection: close",
      paste("Content-Length:", nchar(body)), "", body
    ))
    error <- expect_error(rank_species(44.12, -122.03, url = server$url), class = "nurselog_overloaded")
    server$end()
    expect_equal(conditionMessage(error), "Full\ufffd[2J\ufffd2J\tall") # no control characters for the terminal
  }
})
