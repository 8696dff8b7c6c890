#' nurselog: the survival of planted trees in Oregon and Washington
#'
#' The functions call a service: its address and the API key are the arguments `url` and `key`, by default the
#' environment variables `NURSELOG_URL` (else `http://127.0.0.1:8080`) and `NURSELOG_API_KEY`.
#'
#' A request that fails temporarily, because the connection broke or the service is overloaded or restarts, is sent
#' again for about a minute. A refusal by the service is an error of class `nurselog_error` and of a class named by its
#' code, such as `nurselog_outside_coverage`; its fields `code`, `status`, `details` and `request_id` are those of the
#' service. Its field `answered` has the sites or units that were answered before it.
#'
#' @keywords internal
"_PACKAGE"
