import type { Device } from '../../../../core/account/device.ts'

export type DeviceRow = {
  readonly id: string
  readonly user_id: string
  readonly hardware_id: string
  readonly firmware_version: string | null
  readonly hardware_model: string | null
  readonly paired_at: number
  readonly created_at: number
  readonly updated_at: number
}

export const deviceOf = (row: DeviceRow): Device => ({
  id: row.id,
  userId: row.user_id,
  hardwareId: row.hardware_id,
  firmwareVersion: row.firmware_version,
  hardwareModel: row.hardware_model,
  pairedAt: row.paired_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
