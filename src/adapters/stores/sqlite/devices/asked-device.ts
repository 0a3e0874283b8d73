import { devEuiOf } from '../../../../core/ingest/device-key.ts'
import type { GivenDevice } from '../../shared/dev-eui-sql.ts'

/** The parameters of every statement that looks a device up. `eui`: the DevEUI that the id spells. */
export type AskedDevice = { readonly app: string; readonly id: string; readonly eui: string | null }

export const ASKED: GivenDevice = { app: '+@app', id: '+@id', eui: '+@eui' }

export const asked = (appId: string, hardwareId: string): AskedDevice => ({
  app: appId,
  id: hardwareId,
  eui: devEuiOf(hardwareId),
})
