import type { Device } from '../../../../core/account/device.ts'
import type {
  DeviceStore,
  FeedbackStore,
  HardwareDetail,
  HardwareRegistry,
  HardwareRow,
  UserFeedback,
} from '../../../../ports/store.ts'
import { ALIKE, registeredSql } from '../../shared/dev-eui-sql.ts'
import { DEVICES, FEEDBACK, HARDWARE_OF_APPS, HARDWARE_ROWS, hardwareDetailSql } from '../../shared/devices.ts'
import { boundsOf, feedbackList, hardwareListOf, scopedPage } from '../../shared/scoped-page.ts'
import type { ReadsOf } from '../../shared/writes.ts'
import type { Reader } from '../engine/reader.ts'
import { ASKED, asked } from './asked-device.ts'

const ONE = `WHERE hardware.app_id = $1 AND hardware.hardware_id = ${registeredSql(ASKED)}`
const DETAIL = `${hardwareDetailSql('greatest(device_hearings.heard_at, device_states.heard_at)')} ${ONE}`
const HARDWARE_FROM = `${HARDWARE_OF_APPS}
  WHERE (hardware.app_id, hardware.hardware_id) > ($1, $2) AND hardware.app_id <= $3
  ORDER BY hardware.app_id, hardware.hardware_id LIMIT $4`
const FEEDBACK_BEFORE = `${FEEDBACK} WHERE (feedback.created_at, feedback.id) < ($1, $2)
  ORDER BY feedback.created_at DESC, feedback.id DESC LIMIT $3`

type Reads = ReadsOf<DeviceStore & HardwareRegistry & FeedbackStore>

const MODELS = `SELECT model, count(*) AS trackers FROM (
    SELECT model FROM hardware WHERE model IS NOT NULL AND ($1::text[] IS NULL OR app_id = ANY($1)) LIMIT 20000
  ) AS registered GROUP BY model ORDER BY trackers DESC, model LIMIT 200`

export const deviceReads = ({ rows, row }: Reader): Reads => ({
  devices: (userId) => rows<Device>(`${DEVICES} WHERE user_id = $1 ORDER BY paired_at, id`, [userId]),
  feedback: () => rows<UserFeedback>(`${FEEDBACK} ORDER BY feedback.created_at, feedback.id`),
  feedbackPage: (query) =>
    scopedPage(feedbackList, query, (after, limit) =>
      rows<UserFeedback>(FEEDBACK_BEFORE, [...(after ?? [Number.MAX_SAFE_INTEGER, '']), limit]),
    ),
  alikeHardware: () => rows(`SELECT app_id AS "appId", hardware_id AS "hardwareId" ${ALIKE}`),
  hardwareModels: (appIds) => rows(MODELS, [appIds]),
  registeredHardware: (appId) =>
    rows<HardwareRow>(`${HARDWARE_ROWS} WHERE hardware.app_id = $1 ORDER BY hardware.hardware_id`, [appId]),
  hardware: (appId, hardwareId) => row<HardwareRow>(`${HARDWARE_ROWS} ${ONE}`, asked(appId, hardwareId)),
  hardwareDetail: (appId, hardwareId) => row<HardwareDetail>(DETAIL, asked(appId, hardwareId)),
  hardwarePage(query) {
    const [low, high] = boundsOf(query)
    return scopedPage(hardwareListOf(query), query, (after, limit) =>
      rows<HardwareRow & { readonly appId: string }>(HARDWARE_FROM, [...(after ?? [low, '']), high, limit]),
    )
  },
})
