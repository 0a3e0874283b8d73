/** Columns under the names of the core's `Device`. */
export const DEVICE = `id, user_id AS "userId", hardware_id AS "hardwareId", firmware_version AS "firmwareVersion",
  hardware_model AS "hardwareModel", paired_at AS "pairedAt", created_at AS "createdAt", updated_at AS "updatedAt"`
