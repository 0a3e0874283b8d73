import { enrolment } from '../state/enrolment.ts'
import { texts } from '../state/language.ts'

/** What works without this service. */
export const CallEmergency = () => {
  const number = enrolment.value?.application.emergencyNumber ?? '112'
  return (
    <a class="button call" href={`tel:${number.replace(/[^\d+*#]/g, '')}`}>
      {texts.value.call(number)}
    </a>
  )
}
