import type { Device } from '../../../../core/account/device.ts'
import type { FeedbackStore, HardwareRow, Store } from '../../../../ports/store.ts'
import type { Reader } from '../engine/reader.ts'
import { DEVICE } from './columns.ts'

type FeedbackRow = Awaited<ReturnType<FeedbackStore['feedback']>>[number]

const REGISTERED = `SELECT hardware.hardware_id AS "hardwareId", hardware.model,
    users.external_user_id AS "externalUserId", devices.paired_at AS "pairedAt", hardware.locked_until AS "lockedUntil"
  FROM hardware
    LEFT JOIN devices ON devices.app_id = hardware.app_id AND devices.hardware_id = hardware.hardware_id
    LEFT JOIN users ON users.id = devices.user_id
  WHERE hardware.app_id = $1 ORDER BY hardware.hardware_id`
const FEEDBACK = `SELECT feedback.id, users.app_id AS "appId", feedback.user_id AS "userId",
    users.external_user_id AS "externalUserId", message, category, rating, feedback.created_at AS "createdAt"
  FROM feedback JOIN users ON users.id = feedback.user_id ORDER BY feedback.created_at, feedback.id`

export const deviceReads = ({ rows }: Reader): Pick<Store, 'devices' | 'feedback' | 'registeredHardware'> => ({
  devices: (userId) =>
    rows<Device>(`SELECT ${DEVICE} FROM devices WHERE user_id = $1 ORDER BY paired_at, id`, [userId]),
  feedback: () => rows<FeedbackRow>(FEEDBACK),
  registeredHardware: (appId) => rows<HardwareRow>(REGISTERED, [appId]),
})
