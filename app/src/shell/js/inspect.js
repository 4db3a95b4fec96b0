// Values as mongosh prints them.
__shell.show = (value) =>
  value === undefined ? null : [typeof value === "string" ? value : JSON.stringify(value), JSON.stringify(value)];
