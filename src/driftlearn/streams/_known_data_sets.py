"""Real data sets that `load` supports.

Data sets are verified by checksums: of the files in a user's folder, and of the values in the
verified rows of downloads.
"""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

from driftlearn.streams._download import Archive, OpenML


class DataSet(NamedTuple):
    """Description of a real data set.

    Attributes
    ----------
    about : str
        One-line description.
    file : str
        Name of the file in a user's folder.
    sha256 : str
        Checksum of that file.
    source : Archive, OpenML or None
        Source of the download, if there is one.
    drop : tuple of str
        Columns of the file that are not features.
    group : str or None
        Column, not a feature, whose changes are known drifts.
    """

    about: str
    file: str
    sha256: str
    source: Archive | OpenML | None = None
    drop: tuple[str, ...] = ()
    group: str | None = None


_UCI = "https://archive.ics.uci.edu/static/public"

_CARDS = tuple(f"{kind}{card}" for card in range(1, 6) for kind in "SC")
_GAS_BATCHES = (445, 1244, 1586, 161, 197, 2300, 3613, 294, 470, 3600)
_MARKET = ("date", "day", "period", "nswprice", "nswdemand", "vicprice", "vicdemand", "transfer")
_LAND = (
    "Elevation",
    "Aspect",
    "Slope",
    "Horizontal_Distance_To_Hydrology",
    "Vertical_Distance_To_Hydrology",
    "Horizontal_Distance_To_Roadways",
    "Hillshade_9am",
    "Hillshade_Noon",
    "Hillshade_3pm",
    "Horizontal_Distance_To_Fire_Points",
    *(f"Wilderness_Area{j}" for j in range(1, 5)),
    *(f"Soil_Type{j}" for j in range(1, 41)),
)
DATA_SETS: dict[str, DataSet] = {
    "electricity": DataSet(
        "price of electricity in New South Wales, up or down; 45,312 half hours",
        "electricity.parquet",
        "e17a0a4228a34bc24fc2e84cdb28a19773cc35779e8385f427602900d5fed5f2",
        OpenML(
            data_id=151,
            n_rows=45_312,
            rows=slice(None),
            names=_MARKET,
            known=((0, 45_312),),
            sha256="7ab15b7e277cc06d672f542872b14732434670e4ddb7176f9b550aa1ff11d364",
        ),
    ),
    "covertype": DataSet(
        "forest cover of 581,012 cells of land, 7 classes",
        "covtype.parquet",
        "37bc0f738cd530fc89065a2d27517b4e1bb72b5e9710c23909e8aebccf0cb295",
        Archive(
            f"{_UCI}/31/covertype.zip",
            ("covtype.data.gz",),
            n_rows=581_012,
            names=_LAND,
            known=((0, 581_012),),
            sha256="bc1840ad26493556fe989957a24e3b0d9a49a7b6d195c0fa4e7bb4a2ca473a8f",
        ),
    ),
    "optdigits": DataSet(
        "5,620 handwritten digits of 8 x 8 pixels",
        "optdigits.parquet",
        "0078a899210c8510862187e46a0d817822ac7a50d0b08d240a26247b15425883",
        Archive(
            f"{_UCI}/80/optical+recognition+of+handwritten+digits.zip",
            ("optdigits.tra", "optdigits.tes"),
            n_rows=5_620,
            names=tuple(f"p{j}" for j in range(64)),
            known=((0, 5_620),),
            sha256="0cc4553895890c37df9df823835571928663ebc620969f048a3e20e2ad6c0822",
        ),
        drop=("split",),
    ),
    "wine": DataSet("178 wines of three growers, as scikit-learn ships them", "", ""),
    "weather": DataSet(
        "rain at Bellevue, Nebraska, on 18,159 days of 50 years",
        "noaa_weather.parquet",
        "dbdabb6b121a27c2ad20869bb942723104f659690da2849a44c428d0b60c5672",
    ),
    "gas": DataSet(
        "six gases measured by 16 drifting sensors, in batches over 36 months",
        "gas_drift_raw_batches_1-6_8_9.parquet",
        "a3451f978f220fc9f515e00aac897c385f590f2bba328f8f2264ca60b3da6cf9",
        OpenML(
            data_id=1476,
            n_rows=13_910,
            rows=slice(None),
            names=tuple(f"f{j}" for j in range(1, 129)),
            known=((0, 5_933), (9_546, 10_310)),
            sha256="86892e3faf60b67d7a28b305766618f35ef9aadf9afcc18f0bdaa727f1fdb38d",
            drifts=tuple(accumulate(_GAS_BATCHES[:-1])),
        ),
        drop=("concentration_ppmv",),
        group="batch",
    ),
    "poker": DataSet(
        "poker hands of the UCI testing file, 10 classes",
        "poker_hand_testing_first99998.parquet",
        "fb16b3e581643cf11fc2c826ebe894e2a9f066a0e728a466b3eb2a5746740bfe",
        Archive(
            f"{_UCI}/158/poker+hand.zip",
            ("poker-hand-testing.data",),
            n_rows=1_000_000,
            names=_CARDS,
            known=((0, 99_998),),
            sha256="914d05eeda9696584e0525f0e0d9b9dfa287cb3c6516258882ae15e04396835c",
        ),
    ),
    "poker-training": DataSet(
        "25,010 poker hands of the UCI training file, 10 classes",
        "poker_hand_training.parquet",
        "327f27f311f17dec58a16db03dcfc9b2a430ee91eec14803ae412e0ae42e18f6",
        Archive(
            f"{_UCI}/158/poker+hand.zip",
            ("poker-hand-training-true.data",),
            n_rows=25_010,
            names=_CARDS,
            known=((0, 25_010),),
            sha256="234dfed564036bb791e431d41a88db5684bd8d5957aefe9b69bc6d3cff1374d5",
        ),
    ),
    "spam": DataSet(
        "9,324 mails in the order of their arrival, as the words in them; spam or not",
        "spam_corpus.parquet",
        "31ebed0f777ac3e6339d04f8971d4c905872a676edb51fdb66507e0ef4cc1fb1",
    ),
    "alcohol": DataSet(
        "five alcohols measured by five sensors one after another; 125 rows",
        "alcohol_qcm.csv",
        "6057ab77cd7f753514f547c984c6b328d7517d6011547def5b9f33ce406c1778",
        group="sensor",
    ),
    "laser": DataSet(
        "intensity of a far-infrared laser, the Santa Fe series A; 10,093 values",
        "santafe_laser.parquet",
        "f4b99f02fad866ac215d448eb626986def2255e0611a61d4e32976b68e2acbbf",
    ),
}
