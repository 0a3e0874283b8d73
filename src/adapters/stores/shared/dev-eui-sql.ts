/**
 * SQL for the DevEUI that a hardware id spells, in lower case and without separators: `devEuiOf` in the core. It is to
 * the letter what the indexes `devices_by_eui` and `hardware_by_eui` have, or neither of them is used.
 */
export const devEuiSql = (column: string): string =>
  `replace(replace(replace(replace(lower(${column}), ':', ''), '-', ''), '.', ''), ' ', '')`
