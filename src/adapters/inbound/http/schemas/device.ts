import { z } from 'zod'

/** protocol.md#devices. */
export const deviceSchema = z
  .object({
    id: z.uuid(),
    hardwareId: z.string().meta({ description: 'The value to send as `deviceId` in ingest payloads' }),
    firmwareVersion: z.string().nullable(),
    hardwareModel: z.string().nullable(),
    pairedAt: z.iso.datetime(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Device', description: 'The device' })
