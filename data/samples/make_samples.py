"""Makes the samples of this folder from the grid: run it with the packages of clients/python/requirements-dev.txt.

The sites are points of the grid, moved by up to 300 m, with species that are native there. The same grid gives the same
sites.csv.
"""

import csv
import json
from pathlib import Path

import geopandas
import numpy as np
import pyarrow as pa
from shapely import MultiPolygon, Polygon

DATA = Path(__file__).parents[1]
SEED = 20_261_122
SITES = 2000
STANDS = 12
METHODS = ("manual", "drone_seeded")

# Latitude and longitude of towns near forests.
TOWNS = {
    "Aberdeen, WA": (46.975, -123.816),
    "Astoria, OR": (46.188, -123.831),
    "Bend, OR": (44.058, -121.315),
    "Cle Elum, WA": (47.195, -120.939),
    "Colville, WA": (48.547, -117.906),
    "Coos Bay, OR": (43.367, -124.218),
    "Darrington, WA": (48.255, -121.602),
    "Dayton, WA": (46.324, -117.972),
    "Detroit, OR": (44.735, -122.150),
    "Enterprise, OR": (45.426, -117.279),
    "Enumclaw, WA": (47.204, -121.992),
    "Forks, WA": (47.950, -124.385),
    "Goldendale, WA": (45.821, -120.822),
    "Hood River, OR": (45.709, -121.515),
    "John Day, OR": (44.416, -118.953),
    "Klamath Falls, OR": (42.225, -121.782),
    "La Grande, OR": (45.325, -118.088),
    "Lakeview, OR": (42.189, -120.346),
    "Leavenworth, WA": (47.596, -120.661),
    "Medford, OR": (42.327, -122.876),
    "Newport, OR": (44.637, -124.053),
    "Newport, WA": (48.180, -117.043),
    "Oakridge, OR": (43.747, -122.462),
    "Okanogan, WA": (48.361, -119.583),
    "Packwood, WA": (46.608, -121.671),
    "Prineville, OR": (44.300, -120.834),
    "Roseburg, OR": (43.217, -123.342),
    "Sandy, OR": (45.397, -122.261),
    "Shelton, WA": (47.215, -123.101),
    "Tillamook, OR": (45.456, -123.844),
    "Winthrop, WA": (48.478, -120.186),
}

# Changes that make a row fail, by the number of the site.
MISTAKES = {
    "250": {"latitude": "", "longitude": ""},
    "500": {"latitude": 43.61500, "longitude": -116.20230, "nearest_town": "Boise, ID"},
    "750": {"latitude": 44.90000, "longitude": -125.50000, "nearest_town": "the Pacific"},
    "1000": {"latitude": -122.46200, "longitude": 43.74700},
    "1250": {"species_code": "psme"},
    "1500": {"species_code": "QUAG"},
    "1750": {"planting_method": "by hand"},
    "1900": {"elevation_m": 4200},
}


def main() -> None:
    """Writes sites.csv and stands.gpkg."""
    random = np.random.default_rng(SEED)
    grid = pa.ipc.open_file(DATA / "grid.arrow").read_all()
    write_sites(grid, random)
    write_stands(grid, random)


def coordinates(grid: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    """Latitudes and longitudes of the points of a grid in degrees."""
    lattice = json.loads(grid.schema.metadata[b"lattice"])
    rows, columns = (grid.column(name).to_numpy().astype(float) for name in ("row", "column"))
    steps = lattice["steps_per_degree"]
    return lattice["south"] + (rows + 0.5) / steps, lattice["west"] + (columns + 0.5) / steps


def write_sites(grid: pa.Table, random: np.random.Generator) -> None:
    """Writes 2,000 sites."""
    codes = [species["species_code"] for species in json.loads((DATA / "species.json").read_text())]
    latitudes, longitudes = coordinates(grid)
    towns = np.array(list(TOWNS.values()))
    native = grid.column("native_ranges").to_numpy()
    elevations = grid.column("elevation").to_numpy()
    candidates = random.permutation(np.flatnonzero(native != 0))[:SITES]
    with (DATA / "samples" / "sites.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["site", "nearest_town", "latitude", "longitude", "elevation_m", "species_code", "planting_method"]
        )
        for number, point in enumerate(sorted(candidates), start=1):
            latitude = latitudes[point] + random.uniform(-0.0027, 0.0027)
            longitude = longitudes[point] + random.uniform(-0.0035, 0.0035)
            east = (towns[:, 1] - longitude) * np.cos(np.radians(latitude))
            town = list(TOWNS)[np.argmin((towns[:, 0] - latitude) ** 2 + east**2)]
            row = {
                "site": str(number),
                "nearest_town": town,
                "latitude": f"{latitude:.5f}",
                "longitude": f"{longitude:.5f}",
                "elevation_m": int(elevations[point] + random.integers(-60, 61)),
                "species_code": random.choice([code for i, code in enumerate(codes) if native[point] >> i & 1]),
                "planting_method": random.choice(METHODS),
            }
            writer.writerow((row | MISTAKES.get(row["site"], {})).values())


def write_stands(grid: pa.Table, random: np.random.Generator) -> None:
    """Writes twelve planting units as polygons in UTM zone 10 N, the last of two parts."""
    latitudes, longitudes = coordinates(grid)
    points = random.choice(np.flatnonzero(longitudes < -120.5), STANDS, replace=False)
    centres = geopandas.GeoSeries.from_xy(longitudes[points], latitudes[points], crs="EPSG:4326").to_crs("EPSG:26910")
    shapes = [outline(centre.x, centre.y, random) for centre in centres]
    shapes[-1] = MultiPolygon([shapes[-1], outline(centres.iloc[-1].x + 900, centres.iloc[-1].y, random)])
    stands = geopandas.GeoDataFrame(
        {
            "stand": [f"S-{number:02}" for number in range(1, STANDS + 1)],
            "area_ha": [round(shape.area / 10_000, 1) for shape in shapes],
            "planned_year": random.integers(2027, 2031, STANDS).astype("int32"),
            "species_code": random.choice(["PSME", "TSHE", "THPL"], STANDS),
            "planting_method": random.choice(METHODS, STANDS),
        },
        geometry=shapes,
        crs="EPSG:26910",
    )
    stands.to_file(DATA / "samples" / "stands.gpkg", driver="GPKG", layer="stands")


def outline(x: float, y: float, random: np.random.Generator) -> Polygon:
    """An irregular outline of some 10 to 40 hectares around a point in metres."""
    angles = np.linspace(0, 2 * np.pi, 18, endpoint=False)
    radii = random.uniform(180, 350) * random.uniform(0.75, 1.1, angles.size)
    return Polygon(np.column_stack([x + radii * np.cos(angles), y + radii * np.sin(angles)]).round(1))


if __name__ == "__main__":
    main()
