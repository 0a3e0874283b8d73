import type { LowBattery } from '../incident/battery.ts'
import { filled, type Language } from '../text/phrases.ts'

/** They keep to the GSM 7-bit alphabet. `{age}` as positions have it. */
type BatteryWords = {
  readonly phone: string
  readonly tracker: string
  readonly spokenPhone: string
  readonly spokenTracker: string
}

export const batteryWords: Readonly<Record<Language, BatteryWords>> = {
  en: {
    phone: 'Phone battery {n}% ({age}).',
    tracker: 'Tracker battery low ({age}).',
    spokenPhone: 'Phone battery at {n} percent, {age}.',
    spokenTracker: 'Tracker battery low, {age}.',
  },
  de: {
    phone: 'Handy-Akku {n}% ({age}).',
    tracker: 'Tracker-Akku fast leer ({age}).',
    spokenPhone: 'Akku des Telefons: {n} Prozent, {age}.',
    spokenTracker: 'Akku des Trackers fast leer, {age}.',
  },
  fr: {
    phone: 'Batterie du téléphone {n}% ({age}).',
    tracker: 'Batterie de la balise faible ({age}).',
    spokenPhone: 'Batterie du téléphone : {n} pour cent, {age}.',
    spokenTracker: 'Batterie de la balise faible, {age}.',
  },
  it: {
    phone: 'Batteria del telefono {n}% ({age}).',
    tracker: 'Batteria del localizzatore bassa ({age}).',
    spokenPhone: 'Batteria del telefono al {n} per cento, {age}.',
    spokenTracker: 'Batteria del localizzatore bassa, {age}.',
  },
  es: {
    phone: 'Carga del teléfono {n}% ({age}).',
    tracker: 'Carga del localizador baja ({age}).',
    spokenPhone: 'Batería del teléfono al {n} por ciento, {age}.',
    spokenTracker: 'Batería del localizador baja, {age}.',
  },
}

/** `ages`: of the report, as an SMS and as a call says it. */
export function batteryTexts(
  language: Language,
  low: LowBattery,
  ages: { readonly brief: string; readonly full: () => string },
) {
  const { phone, tracker, spokenPhone, spokenTracker } = batteryWords[language]
  const n = low.of === 'phone' ? String(low.percent) : ''
  return {
    sms: filled(low.of === 'phone' ? phone : tracker, { n, age: ages.brief }),
    spoken: () => filled(low.of === 'phone' ? spokenPhone : spokenTracker, { n, age: ages.full() }),
  }
}
