import { CANARY_APP_ID } from '../../../../core/account/canary.ts'
import { joinedCalls } from '../../../../lib/shared-reads.ts'
import type { Upkeep } from '../../../../ports/store.ts'
import { type FigureRow, figuresFrom } from '../../shared/figures.ts'
import type { Reader } from '../engine/reader.ts'

const FIGURES = `SELECT app_id AS "appId", 0 AS "deadLetters",
    count(*) FILTER (WHERE record #>> '{state,status}' = 'active') AS active,
    count(*) FILTER (WHERE record #>> '{state,status}' = 'acknowledged') AS acknowledged,
    count(*) FILTER (WHERE held) AS held
  FROM incidents WHERE open AND app_id <> '${CANARY_APP_ID}' GROUP BY app_id
  UNION ALL
  SELECT users.app_id, count(*), 0, 0, 0
  FROM dead_letters LEFT JOIN users ON users.id = dead_letters.user_id GROUP BY users.app_id`

/** Requests made in the meantime share one answer: counting reads many rows. */
export const figuresOn = ({ rows }: Reader): Pick<Upkeep, 'figures'> => ({
  figures: joinedCalls(async () => figuresFrom(await rows<FigureRow>(FIGURES))),
})
