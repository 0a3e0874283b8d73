import type { Device } from '../../../../core/account/device.ts'
import type { HardwareDetail, HardwareRow, Store, UserFeedback } from '../../../../ports/store.ts'
import { ALIKE, registeredSql } from '../../shared/dev-eui-sql.ts'
import { DEVICES } from '../../shared/devices.ts'
import { boundsOf, feedbackList, hardwareListOf, scopedPage } from '../../shared/scoped-page.ts'
import type { Reader } from '../engine/reader.ts'
import { ASKED, asked } from './asked-device.ts'

const COLUMNS = `hardware.app_id AS "appId", hardware.hardware_id AS "hardwareId", hardware.model,
    users.id AS "userId", users.external_user_id AS "externalUserId", devices.paired_at AS "pairedAt",
    hardware.locked_until AS "lockedUntil", hardware.silent_after_minutes AS "silentAfterMinutes",
    device_hearings.silent_since AS "silentSince"`
const FROM = `FROM hardware
    LEFT JOIN devices ON devices.app_id = hardware.app_id AND devices.hardware_id = hardware.hardware_id
    LEFT JOIN users ON users.id = devices.user_id
    LEFT JOIN device_hearings ON device_hearings.device_id = devices.id`
const HARDWARE = `SELECT ${COLUMNS} ${FROM}`
const ONE = `WHERE hardware.app_id = $1
  AND hardware.hardware_id = ${registeredSql(ASKED)}`
const DETAIL = `SELECT ${COLUMNS}, devices.id AS "deviceId",
    applications.disabled OR coalesce(users.disabled, false) AS disabled,
    applications.silent_after_minutes AS "applicationSilentAfterMinutes",
    greatest(device_hearings.heard_at, device_states.heard_at) AS "heardAt",
    device_tokens.created_at AS "tokenMadeAt", device_states.state
  ${FROM}
    JOIN applications ON applications.id = hardware.app_id
    LEFT JOIN device_tokens ON device_tokens.device_id = devices.id
    LEFT JOIN device_states ON device_states.device_id = devices.id
  ${ONE}`
const HARDWARE_FROM = `${HARDWARE} WHERE (hardware.app_id, hardware.hardware_id) > ($1, $2) AND hardware.app_id <= $3
  ORDER BY hardware.app_id, hardware.hardware_id LIMIT $4`
const FEEDBACK = `SELECT feedback.id, users.app_id AS "appId", feedback.user_id AS "userId",
    users.external_user_id AS "externalUserId", message, category, rating, feedback.created_at AS "createdAt"
  FROM feedback JOIN users ON users.id = feedback.user_id`
const FEEDBACK_BEFORE = `${FEEDBACK} WHERE (feedback.created_at, feedback.id) < ($1, $2)
  ORDER BY feedback.created_at DESC, feedback.id DESC LIMIT $3`

type AppRow = HardwareRow & { readonly appId: string }
const withoutApp = ({ appId: _, ...row }: AppRow): HardwareRow => row

type Reads = Pick<
  Store,
  | 'devices'
  | 'feedback'
  | 'feedbackPage'
  | 'registeredHardware'
  | 'alikeHardware'
  | 'hardware'
  | 'hardwareDetail'
  | 'hardwarePage'
>

export const deviceReads = ({ rows, row }: Reader): Reads => ({
  devices: (userId) => rows<Device>(`${DEVICES} WHERE user_id = $1 ORDER BY paired_at, id`, [userId]),
  feedback: () => rows<UserFeedback>(`${FEEDBACK} ORDER BY feedback.created_at, feedback.id`),
  feedbackPage: (query) =>
    scopedPage(feedbackList, query, (after, limit) =>
      rows<UserFeedback>(FEEDBACK_BEFORE, [...(after ?? [Number.MAX_SAFE_INTEGER, '']), limit]),
    ),
  alikeHardware: () => rows(`SELECT app_id AS "appId", hardware_id AS "hardwareId" ${ALIKE}`),
  async registeredHardware(appId) {
    const found = await rows<AppRow>(`${HARDWARE} WHERE hardware.app_id = $1 ORDER BY hardware.hardware_id`, [appId])
    return found.map(withoutApp)
  },
  async hardware(appId, hardwareId) {
    const found = await row<AppRow>(`${HARDWARE} ${ONE}`, asked(appId, hardwareId))
    return found && withoutApp(found)
  },
  hardwareDetail: (appId, hardwareId) => row<HardwareDetail>(DETAIL, asked(appId, hardwareId)),
  hardwarePage(query) {
    const [low, high] = boundsOf(query)
    return scopedPage(hardwareListOf(query), query, (after, limit) =>
      rows<AppRow>(HARDWARE_FROM, [...(after ?? [low, '']), high, limit]),
    )
  },
})
