#' Species and planting methods for planting units
#'
#' @inheritParams rank_species
#' @param units An sf object of polygons in any coordinate reference system, at most as many as the tier of the key
#'   allows sites in a batch.
#' @param id Name of the column that identifies the units; by default their row numbers.
#' @param horizon Years: 1, 3 or 5.
#' @param costs Named vector with the cost of a planted tree (`manual`) and of a sown spot (`drone_seeded`).
#' @return A data frame with a row for each unit, species and method, best first within the unit: `unit`, `area_ha`,
#'   `data_points`, `rank`, `species_code`, `species_common_name`, `planting_method`, `in_native_range`, `mean`, `low`,
#'   `high`, with costs `cost_per_survivor`, and for units that failed `error_code` and `error_message`.
#' @examples
#' \dontrun{
#' units <- sf::st_read("units.shp")
#' plan_units(units, costs = c(manual = 1.2, drone_seeded = 0.35))
#' }
#' @export
plan_units <- function(units, id = NULL, species_codes = NULL, planting_methods = NULL, horizon = 5,
                       native_only = TRUE, costs = NULL, conditions = NULL, warming_c = NULL,
                       precipitation_change_percent = NULL, url = NULL, key = NULL) {
  if (!inherits(units, "sf")) rlang::abort("`units` must be an sf object.")
  if (is.na(sf::st_crs(units))) rlang::abort("`units` has no coordinate reference system: set it with sf::st_crs().")
  if (!is.null(id) && is.null(units[[id]])) {
    rlang::abort(paste0("`units` has no column ", id, ": its columns are ", paste(names(units), collapse = ", "), "."))
  }
  ids <- if (is.null(id)) as.character(seq_len(nrow(units))) else as.character(units[[id]])
  geometry <- sf::st_transform(sf::st_zm(sf::st_geometry(units)), 4326)
  features <- Map(function(unit, shape) {
    list(type = "Feature", id = unit, properties = NULL, geometry = geometry_of(shape))
  }, ids, geometry)
  body <- given(
    units = list(type = "FeatureCollection", features = unname(features)), horizon = horizon,
    native_only = native_only, costs = if (!is.null(costs)) as.list(costs),
    species_codes = if (!is.null(species_codes)) as.list(species_codes),
    planting_methods = if (!is.null(planting_methods)) as.list(planting_methods),
    conditions = conditions, scenario = scenario_of(warming_c, precipitation_change_percent)
  )
  plan <- post_json("/v1/plan", body, url, key)
  rows <- lapply(plan$units, rows_of_unit)
  do.call(rbind, rows)
}

geometry_of <- function(shape) {
  rings <- function(polygon) lapply(polygon, function(ring) unname(ring[, 1:2, drop = FALSE]))
  if (inherits(shape, "POLYGON")) list(type = "Polygon", coordinates = rings(shape))
  else if (inherits(shape, "MULTIPOLYGON")) list(type = "MultiPolygon", coordinates = lapply(shape, rings))
  else rlang::abort(paste0("Units must be polygons, not ", class(shape)[2], "."))
}

rows_of_unit <- function(unit) {
  row <- function(option) {
    data.frame(
      unit = unit$id, area_ha = unit$area_ha %||% NA_real_, data_points = unit$data_points %||% NA_integer_,
      rank = option$rank %||% NA_integer_, species_code = option$species_code %||% NA_character_,
      species_common_name = option$species_common_name %||% NA_character_,
      planting_method = option$planting_method %||% NA_character_,
      in_native_range = option$in_native_range %||% NA, mean = option$survival$mean %||% NA_real_,
      low = option$survival$low %||% NA_real_, high = option$survival$high %||% NA_real_,
      cost_per_survivor = option$cost_per_survivor %||% NA_real_,
      error_code = unit$error$code %||% NA_character_, error_message = unit$error$message %||% NA_character_
    )
  }
  options <- if (length(unit$options) > 0) unit$options else list(list())
  do.call(rbind, lapply(options, row))
}
