import { enrolment } from '../state/enrolment.ts'
import { texts } from '../state/language.ts'

/** A call, which works without this service. `listens` false: a tap does nothing yet. */
export const CallEmergency = ({ listens = true }: { readonly listens?: boolean }) => {
  const number = enrolment.value?.application.emergencyNumber ?? '112'
  return (
    <a
      class="button call"
      href={`tel:${number.replace(/[^\d+*#]/g, '')}`}
      onClick={(event) => listens || event.preventDefault()}
    >
      {texts.value.call(number)}
    </a>
  )
}
