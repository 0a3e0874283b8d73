import type { TalkLine } from '../../../../core/incident/talk.ts'
import type { OpenTalk, TalkStore } from '../../../../ports/store.ts'
import { TALK_LINES } from '../../shared/talk.ts'
import type { ReadsOf } from '../../shared/writes.ts'
import type { Reader } from '../engine/reader.ts'

const NEWEST = {
  name: 'talk-lines',
  text: `${TALK_LINES} WHERE incident_number = (SELECT number FROM incidents WHERE id = $1) AND n > $2
    ORDER BY n DESC LIMIT $3`,
}

const OPEN = {
  name: 'open-talks',
  text: `SELECT id AS "incidentId", app_id AS "appId", user_id AS "userId" FROM incidents WHERE open
    ORDER BY opened_at DESC LIMIT $1`,
}

export const talkReads = ({ rows }: Reader): ReadsOf<TalkStore> => ({
  openTalks: (max) => rows<OpenTalk>(OPEN, [max]),
  talkLines: async (incidentId, after, max) => [...(await rows<TalkLine>(NEWEST, [incidentId, after, max]))].reverse(),
})
