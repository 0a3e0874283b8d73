import { isReplacing, stopJoining } from '../state/enrolment.ts'
import { texts } from '../state/language.ts'

/** A link to an invitation was opened on a phone that is set up: anybody can send one, and nothing happens by it. */
export function OpenedInvitation() {
  const t = texts.value
  return (
    <section class="notice">
      <p>{t.join.again}</p>
      <div class="actions">
        <button type="button" onClick={() => void stopJoining()}>
          {t.cancel}
        </button>
        <button
          type="button"
          onClick={() => {
            isReplacing.value = true
          }}
        >
          {t.join.replace}
        </button>
      </div>
    </section>
  )
}
