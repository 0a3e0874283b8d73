import { CANARY_APP_ID } from '../../../../core/account/canary.ts'
import { joinedCalls } from '../../../../lib/joined-calls.ts'
import type { StoreFigures, Upkeep } from '../../../../ports/store.ts'
import type { Reader } from '../engine/reader.ts'

type Row = {
  readonly deadLetters: number
  readonly active: number
  readonly acknowledged: number
  readonly held: number
}

const FIGURES = `SELECT (SELECT count(*) FROM dead_letters) AS "deadLetters",
    count(*) FILTER (WHERE record #>> '{state,status}' = 'active') AS active,
    count(*) FILTER (WHERE record #>> '{state,status}' = 'acknowledged') AS acknowledged,
    count(*) FILTER (WHERE held) AS held
  FROM incidents WHERE open AND app_id <> '${CANARY_APP_ID}'`

/** Requests made in the meantime share one answer: counting reads many rows. */
export function figuresOn({ row }: Reader): Pick<Upkeep, 'figures'> {
  const count = async (): Promise<StoreFigures> => {
    const { deadLetters, active, acknowledged, held } = (await row<Row>(FIGURES))!
    return { deadLetters, openIncidents: { active, acknowledged }, heldIncidents: held }
  }
  return { figures: joinedCalls(count) }
}
