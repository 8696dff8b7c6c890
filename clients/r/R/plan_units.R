#' Species and planting methods for planting units
#'
#' @inheritParams rank_species
#' @param units An sf object of polygons in any coordinate reference system. More than the tier of the key allows in a
#'   request are sent in parts.
#' @param id Name of the column that identifies the units; by default their row numbers.
#' @param horizon Years after planting: 1, 3 or 5.
#' @param costs Named vector with the cost of a planted tree (`manual`) and of a sown spot (`drone_seeded`).
#' @param target_per_ha Living trees per hectare wanted at `horizon`: adds how many to plant or sow.
#' @param basis Survival from which this number is calculated: `"mean"`, the default, or `"low"`.
#' @return A data frame with a row for each unit, species and method, best first within the unit: `unit`, `area_ha`,
#'   `data_points`, `rank`, `species_code`, `species_common_name`, `planting_method`, `in_native_range`, `mean`, `low`,
#'   `high` (of planted trees, or of sown spots in which a seedling lives), with costs `cost_per_survivor`, with a target
#'   `order_per_ha`, `order_total` and with costs `order_cost` (all `NA` where the survival that divides the target is
#'   0), and for units that failed `error_code` and `error_message`. If the service fails before all units are answered,
#'   the error has the rows of the first ones as `answered`.
#' @examples
#' \dontrun{
#' units <- sf::st_read("units.shp")
#' plan_units(units, costs = c(manual = 1.2, drone_seeded = 0.35), target_per_ha = 500)
#' }
#' @export
plan_units <- function(units, id = NULL, species_codes = NULL, planting_methods = NULL, horizon = 5,
                       native_only = TRUE, costs = NULL, conditions = NULL, warming_c = NULL,
                       precipitation_change_percent = NULL, target_per_ha = NULL, basis = NULL, url = NULL,
                       key = NULL) {
  if (!inherits(units, "sf")) rlang::abort("`units` must be an sf object.")
  if (is.na(sf::st_crs(units))) rlang::abort("`units` has no coordinate reference system: set it with sf::st_crs().")
  columns <- sf::st_drop_geometry(units)
  if (!is.null(id) && is.null(columns[[id]])) {
    rlang::abort(paste0("`units` has no column ", id, ": its columns are ", paste(names(columns), collapse = ", "), "."))
  }
  ids <- cell_text(if (is.null(id)) seq_len(nrow(units)) else columns[[id]])
  if ("" %in% ids) rlang::abort(paste0("`units` has a unit without an id in the column ", id, "."))
  if (anyDuplicated(ids) > 0) {
    rlang::abort(paste0("`units` has several units ", ids[anyDuplicated(ids)], ": ids must be unique."))
  }
  geometry <- outlines_of(sf::st_zm(sf::st_geometry(units)))
  features <- unname(Map(function(unit, shape) {
    list(type = "Feature", id = unit, properties = NULL, geometry = geometry_of(shape, unit))
  }, ids, geometry))
  options <- given(
    horizon = horizon, native_only = native_only, costs = if (!is.null(costs)) as.list(costs),
    species_codes = if (!is.null(species_codes)) as.list(species_codes),
    planting_methods = if (!is.null(planting_methods)) as.list(planting_methods),
    conditions = if (length(conditions) > 0) as.list(conditions),
    scenario = scenario_of(warming_c, precipitation_change_percent),
    target_per_ha = target_per_ha, basis = basis
  )
  ask <- function(rows) {
    body <- c(list(units = list(type = "FeatureCollection", features = features[rows])), options)
    rows <- lapply(post_json("/v1/plan", body, "units", url, key), rows_of_unit)
    do.call(rbind, rows) %||% rows_of_unit(list(id = ""))[0, ]
  }
  in_parts(length(features), MAX_UNITS, ask, has_too_many_predictions)
}

# The most units of a request in any tier.
MAX_UNITS <- 500L

#' Whether fewer units may succeed: the issue that they need too many predictions has an empty path
#' @noRd
has_too_many_predictions <- function(error) {
  paths <- vapply(error$details$issues %||% list(), function(issue) issue$path, "")
  has_too_many_rows(error) || inherits(error, "nurselog_invalid_request") && identical(unique(paths), "")
}

#' The geometries of units in degrees, valid where they were valid before
#'
#' A corner that touched the middle of an edge lies up to centimetres beside that edge once both are reprojected.
#' @noRd
outlines_of <- function(geometry) {
  # Without a reference system, sf treats edges as straight in degrees, as the service does.
  planar <- function(shapes) sf::st_set_crs(shapes, NA)
  outlines <- planar(sf::st_transform(geometry, 4326))
  broken <- which(sf::st_is_valid(planar(geometry)) & !sf::st_is_valid(outlines))
  outlines[broken] <- sf::st_buffer(outlines[broken], 0)
  outlines
}

geometry_of <- function(shape, unit) {
  rings <- function(polygon) lapply(polygon, function(ring) unname(ring[, 1:2, drop = FALSE]))
  if (inherits(shape, "POLYGON")) list(type = "Polygon", coordinates = rings(shape))
  else if (inherits(shape, "MULTIPOLYGON")) list(type = "MultiPolygon", coordinates = lapply(shape, rings))
  else rlang::abort(paste0("The unit ", unit, " must be a polygon, not ", class(shape)[2], "."))
}

rows_of_unit <- function(unit) {
  options <- if (length(unit$options) > 0) unit$options else list(list())
  # A data frame for each option would take most of the time of a plan.
  column <- function(missing, ...) {
    vapply(options, function(option) Reduce(`[[`, c(...), option) %||% missing, missing)
  }
  data.frame(
    unit = unit$id, area_ha = unit$area_ha %||% NA_real_, data_points = unit$data_points %||% NA_integer_,
    rank = column(NA_integer_, "rank"), species_code = column(NA_character_, "species_code"),
    species_common_name = column(NA_character_, "species_common_name"),
    planting_method = column(NA_character_, "planting_method"), in_native_range = column(NA, "in_native_range"),
    mean = column(NA_real_, "survival", "mean"), low = column(NA_real_, "survival", "low"),
    high = column(NA_real_, "survival", "high"), cost_per_survivor = column(NA_real_, "cost_per_survivor"),
    order_per_ha = column(NA_real_, "order", "per_ha"), order_total = column(NA_real_, "order", "total"),
    order_cost = column(NA_real_, "order", "cost"),
    error_code = unit$error$code %||% NA_character_, error_message = unit$error$message %||% NA_character_
  )
}
