// `Date` on the store's clock, `ISODate`, and datetimes that a `Date` can't hold.
"use strict";
(() => {
  const { raw, custom, type, hide, withRaw } = __shell;
  const System = Date;
  const now = () => __host.now();

  // A simulated clock is the time of everything that the console writes.
  const StoreDate = function Date(...values) {
    if (!new.target) return new System(now()).toString();
    const time = values.length === 0 ? [now()] : values;
    return Reflect.construct(System, time, new.target === StoreDate ? System : new.target);
  };
  Object.defineProperty(StoreDate, "length", { value: 7 });
  Object.defineProperty(StoreDate, "prototype", { value: System.prototype, writable: false });
  hide(__shell, { systemTime: System.now });
  hide(StoreDate, { now, parse: System.parse, UTC: System.UTC });
  hide(System.prototype, {
    constructor: StoreDate,
    [custom]() {
      const time = System.prototype.getTime.call(this);
      return Number.isNaN(time)
        ? "Invalid Date"
        : `ISODate('${System.prototype.toISOString.call(this)}')`;
    },
  });
  hide(globalThis, { Date: StoreDate });

  const form = new RegExp(
    "^(\\d{4})-?(\\d{2})-?(\\d{2})" +
      "([T ](\\d{2})(:?(\\d{2})(:?(\\d{2})(\\.(\\d+))?)?)?(Z|([+-])(\\d{2}):?(\\d{2}))?)?$",
  );
  const isoDate = function ISODate(input) {
    if (input === undefined) return new StoreDate();
    if (typeof input !== "string") return new System(input);
    const parts = form.exec(input) ?? [];
    const [year, month, day, hour, minute, second, zoneHour, zoneMinute] = [
      1, 2, 3, 5, 7, 9, 14, 15,
    ].map((part) => Number(parts[part] ?? 0));
    const isTime = (hour < 24 && minute < 60 && second < 60) || (hour === 24 && !minute && !second);
    if (month < 1 || month > 12 || day < 1 || day > 31 || !isTime) {
      throw __shell.invalid(`${JSON.stringify(input)} is not a valid ISODate`);
    }
    const date = new System(0);
    date.setUTCFullYear(year, month - 1, day);
    date.setUTCHours(hour, minute, second, Number(`${parts[11] ?? ""}000`.slice(0, 3)));
    const offset = (zoneHour * 60 + zoneMinute) * (parts[13] === "-" ? 1 : -1);
    date.setTime(date.getTime() + offset * 60_000);
    return date;
  };
  isoDate.prototype = System.prototype;
  hide(globalThis, { ISODate: isoDate });

  // Beyond ±8.64e15 ms. BSON holds them, `Date` would be invalid.
  const FarDateClass = type(
    "FarDate",
    class FarDate {
      getTime() {
        return Number(this[raw]);
      }
      valueOf() {
        return this.getTime();
      }
      toString() {
        return `FarDate('${this[raw]}')`;
      }
      toJSON() {
        return { $date: { $numberLong: String(this[raw]) } };
      }
      [custom]() {
        return this.toString();
      }
    },
  );
  __shell.make.FarDate = withRaw(FarDateClass);
  __shell.make.Date = (milliseconds) => new System(milliseconds);
})();
