#' Species and planting methods at one site, best first
#'
#' @inheritParams predict_survival
#' @param latitude,longitude Degrees, WGS 84.
#' @param species_codes Codes of the species to compare; by default all.
#' @param planting_methods Methods to compare; by default both.
#' @param native_only Whether to leave out species whose native range does not include the site.
#' @param elevation_m The site's own elevation in metres, or with a unit of package units; `NA` for none.
#' @param conditions Named list or vector of measured values, and of practice such as `vegetation_control`, by feature.
#' @return A data frame with a row for each species and method: `rank`, `species_code`, `species_common_name`,
#'   `planting_method`, `in_native_range`, and `survival_5` and so on for each horizon: the share of planted trees, or of
#'   sown spots in which at least one seedling lives.
#' @examples
#' \dontrun{
#' rank_species(44.12, -122.03)
#' }
#' @export
rank_species <- function(latitude, longitude, species_codes = NULL, planting_methods = NULL, horizons = c(1, 3, 5),
                         native_only = TRUE, elevation_m = NULL, conditions = NULL, warming_c = NULL,
                         precipitation_change_percent = NULL, url = NULL, key = NULL) {
  body <- given(
    latitude = latitude, longitude = longitude, horizons = as.list(horizons), native_only = native_only,
    species_codes = if (!is.null(species_codes)) as.list(species_codes),
    planting_methods = if (!is.null(planting_methods)) as.list(planting_methods),
    elevation_m = if (!isTRUE(is.na(elevation_m))) metres(elevation_m),
    conditions = if (length(conditions) > 0) as.list(conditions),
    scenario = scenario_of(warming_c, precipitation_change_percent)
  )
  ranking <- post_json("/v1/predict/rank", body, "ranking", url, key)
  rows <- lapply(ranking, function(option) {
    survival <- vapply(option$predictions, function(each) each$survival_probability, 0)
    names(survival) <- paste0("survival_", vapply(option$predictions, function(each) each$horizon_years, 0))
    data.frame(
      rank = option$rank, species_code = option$species_code, species_common_name = option$species_common_name,
      planting_method = option$planting_method, in_native_range = option$in_native_range, as.list(survival)
    )
  })
  if (length(rows) > 0) return(do.call(rbind, rows))
  columns <- c("rank", "species_code", "species_common_name", "planting_method", "in_native_range")
  as.data.frame(sapply(c(columns, paste0("survival_", sort(horizons))), function(name) logical(0), simplify = FALSE))
}
