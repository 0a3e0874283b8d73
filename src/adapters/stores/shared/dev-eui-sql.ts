/**
 * SQL for the DevEUI that a hardware id spells, in lower case and without separators: `devEuiOf` in the core. Character
 * by character what the indexes on it have (migrations `devices_by_eui` and `hardware_by_eui`), or none of them is used.
 */
export const devEuiSql = (column: string): string =>
  `replace(replace(replace(replace(lower(${column}), ':', ''), '-', ''), '.', ''), ' ', '')`
