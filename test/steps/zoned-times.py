"""Computes times around each change of the clocks with zoneinfo, for target-time.unit.test.ts.

Prints one line of JSON for each zone: its name, its changes [instant, offset before, offset after], and the cases
[until, now, expected]. Times and offsets are in milliseconds.
"""

import json
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo, available_timezones

# Apia skipped a whole day at the end of 2011. Later rules may still change between versions of the database.
YEARS = (2011, 2024)
WEEKDAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def milliseconds(instant):
    return round(instant.timestamp() * 1000)


def utc(year):
    return datetime(year, 1, 1, tzinfo=timezone.utc)


def changes_of(zone):
    """Yields the instants at which the offset changes, to the minute, with the offset before."""
    for year in YEARS:
        day = utc(year)
        while day < utc(year + 1):
            low, high = day, day + DAY
            before = low.astimezone(zone).utcoffset()
            if before != high.astimezone(zone).utcoffset():
                while high - low > timedelta(minutes=1):
                    middle = low + timedelta(minutes=(high - low) // timedelta(minutes=2))
                    if middle.astimezone(zone).utcoffset() == before:
                        low = middle
                    else:
                        high = middle
                yield high, before
            day += DAY


def instant_of(local, zone):
    """PEP 495: without fold, a skipped time has the offset before the gap, and a repeated time is the first."""
    return local.replace(tzinfo=zone, fold=0).astimezone(timezone.utc)


def first_match(start, zone, time, weekdays):
    local = start.astimezone(zone).replace(tzinfo=None)
    for days in range(15):
        day = (local + days * DAY).date()
        if weekdays and WEEKDAYS[day.weekday()] not in weekdays:
            continue
        if time is None and days == 0:
            return start
        found = instant_of(datetime.combine(day, time or local.time()), zone)
        if found >= start:
            return found
    raise AssertionError("no such day")


def cases_of(zone):
    for change, before in changes_of(zone):
        after = change.astimezone(zone).utcoffset()
        clocks = change.replace(tzinfo=None) + min(before, after)
        length = abs(after - before)
        edges = (-HOUR, timedelta(0), length / 2, length, length + HOUR)
        for local in (clocks + edge for edge in edges):
            yield {"at": local.strftime("%Y-%m-%dT%H:%M:%S")}, change, instant_of(local, zone)
        weekday = WEEKDAYS[(change + after).weekday()]
        for start in (change - DAY, change - length / 2, change, change + length / 2):
            for local in (clocks, clocks + length / 2):
                time = local.time().replace(second=0)
                text = time.strftime("%H:%M")
                yield {"timeOfDay": text}, start, first_match(start, zone, time, None)
                yield {"timeOfDay": text, "weekdays": [weekday]}, start, first_match(start, zone, time, [weekday])
            yield {"weekdays": [weekday]}, start, first_match(start, zone, None, [weekday])


for name in sorted(available_timezones()):
    zone = ZoneInfo(name)
    changes = [
        [milliseconds(at), round(before.total_seconds() * 1000), round(at.astimezone(zone).utcoffset().total_seconds() * 1000)]
        for at, before in changes_of(zone)
    ]
    cases = [[until, milliseconds(now), milliseconds(expected)] for until, now, expected in cases_of(zone)]
    print(json.dumps([name, changes, cases]))
