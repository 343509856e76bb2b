import pytest

from media_common.picture_filters import to_sdr
from media_fixtures.infos import a_picture


@pytest.mark.parametrize("transfer", ["smpte2084", "arib-std-b67"])
def test_hdr_is_mapped_to_sdr_by_its_own_transfer(transfer: str) -> None:
    steps = to_sdr(a_picture(color_transfer=transfer, is_hdr=True, bit_depth=10))

    assert steps[0] == f"setparams=color_primaries=bt2020:color_trc={transfer}:colorspace=bt2020nc"
    assert [step.partition("=")[0] for step in steps[1:]] == ["zscale", "format", "zscale", "tonemap", "zscale"]


def test_sdr_is_left_alone() -> None:
    assert to_sdr(a_picture(color_transfer="bt709")) == ()
