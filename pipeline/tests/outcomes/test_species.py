import json

import pytest

from pipeline.grid.data_files import SPECIES
from pipeline.outcomes.species import all_species, species_codes, write_species_json


def test_the_committed_list_is_the_one_the_pipeline_writes(tmp_path):
    write_species_json(tmp_path / "species.json")
    assert (tmp_path / "species.json").read_bytes() == SPECIES.read_bytes()


def test_callers_get_31_species_by_code_with_four_fields_each():
    records = json.loads(SPECIES.read_text(encoding="utf-8"))
    assert [record["species_code"] for record in records] == sorted(species_codes())
    assert len(records) == 31
    for record in records:
        assert list(record) == ["species_code", "common_name", "scientific_name", "group"]
        genus, epithet = record["scientific_name"].upper().split()
        assert record["species_code"] == genus[:2] + epithet[:2]


@pytest.mark.parametrize("species", all_species(), ids=lambda species: species.species_code)
def test_seed_is_never_more_vigorous_than_planting_stock(species):
    assert species.seeding_vigor <= species.planting_vigor
    assert {species.drought_tolerance, species.frost_tolerance, species.shade_tolerance} <= {1, 2, 3, 4, 5}
