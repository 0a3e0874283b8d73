import type { TalkLine } from '../../../../core/incident/talk.ts'
import type { TalkStore } from '../../../../ports/store.ts'
import { TALK_LINES } from '../../shared/talk.ts'
import type { ReadsOf } from '../../shared/writes.ts'
import type { Reader } from '../engine/reader.ts'

const NEWEST = {
  name: 'talk-lines',
  text: `${TALK_LINES} WHERE incident_number = (SELECT number FROM incidents WHERE id = $1) AND n > $2
    ORDER BY n DESC LIMIT $3`,
}

export const talkReads = ({ rows }: Reader): ReadsOf<TalkStore> => ({
  talkLines: async (incidentId, after, max) => [...(await rows<TalkLine>(NEWEST, [incidentId, after, max]))].reverse(),
})
