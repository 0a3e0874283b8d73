import { devEuiOf } from '../../../../core/ingest/device-key.ts'
import type { GivenDevice } from '../../shared/dev-eui-sql.ts'

/** The first parameters of every statement that looks a device up. `eui`: the DevEUI that the id spells. */
export const ASKED: GivenDevice = { app: '$1', id: '$2', eui: '$3' }

export const asked = (appId: string, hardwareId: string): readonly unknown[] => [
  appId,
  hardwareId,
  devEuiOf(hardwareId),
]
