import type { ToldNews } from '../operator/operator-push.ts'
import { MAX_NAME_LENGTH, neutralName, shortened } from '../text/person-name.ts'
import { filled, type Language } from '../text/phrases.ts'

type Words = Readonly<Record<ToldNews | 'many' | 'silent' | 'test' | 'testBody', string>>

/** Titles say no more than a screen in a stranger's hand may show. */
const titles: Readonly<Record<Language, Words>> = {
  en: {
    pressed: 'New SOS in {app}',
    pressed_again: 'SOS in {app}: pressed again',
    helper_lost: 'SOS in {app}: nobody is helping any more',
    many: '{n} alarms need somebody',
    silent: 'Silent alarm: do not call or text this person.',
    test: 'Tocsin: this is a test',
    testBody: 'This phone rings when an alarm needs somebody.',
  },
  de: {
    pressed: 'Neues SOS in {app}',
    pressed_again: 'SOS in {app}: erneut gedrückt',
    helper_lost: 'SOS in {app}: niemand hilft mehr',
    many: '{n} Alarme brauchen jemanden',
    silent: 'Stiller Alarm: diese Person nicht anrufen und nicht anschreiben.',
    test: 'Tocsin: das ist ein Test',
    testBody: 'Dieses Handy läutet, wenn ein Alarm jemanden braucht.',
  },
  fr: {
    pressed: 'Nouveau SOS dans {app}',
    pressed_again: 'SOS dans {app} : nouvel appui',
    helper_lost: 'SOS dans {app} : plus personne n’aide',
    many: '{n} alertes ont besoin de quelqu’un',
    silent: 'Alerte silencieuse : n’appelez pas cette personne et ne lui écrivez pas.',
    test: 'Tocsin : ceci est un test',
    testBody: 'Ce téléphone sonne quand une alerte a besoin de quelqu’un.',
  },
  it: {
    pressed: 'Nuovo SOS in {app}',
    pressed_again: 'SOS in {app}: premuto di nuovo',
    helper_lost: 'SOS in {app}: nessuno aiuta più',
    many: '{n} allarmi hanno bisogno di qualcuno',
    silent: 'Allarme silenzioso: non chiamare e non scrivere a questa persona.',
    test: 'Tocsin: questa è una prova',
    testBody: 'Questo telefono suona quando un allarme ha bisogno di qualcuno.',
  },
  es: {
    pressed: 'Nuevo SOS en {app}',
    pressed_again: 'SOS en {app}: se ha vuelto a pulsar',
    helper_lost: 'SOS en {app}: ya nadie ayuda',
    many: '{n} alertas necesitan a alguien',
    silent: 'Alerta silenciosa: no llame ni escriba a esta persona.',
    test: 'Tocsin: esto es una prueba',
    testBody: 'Este teléfono suena cuando una alerta necesita a alguien.',
  },
}

const shown = (name: string): string => shortened(neutralName(name), MAX_NAME_LENGTH)

/** All that a screen shows, unless the operator has chosen names, too. */
export const operatorPushTitle = (language: Language, what: ToldNews, app: string): string =>
  filled(titles[language][what], { app: shown(app) || 'Tocsin' })

export const operatorPushBody = (language: Language, name: string, isSilent: boolean): string =>
  [shown(name), ...(isSilent ? [titles[language].silent] : [])].filter((part) => part !== '').join('. ')

export const manyAlarmsTitle = (language: Language, count: number): string =>
  filled(titles[language].many, { n: String(count) })

export const testPush = (language: Language) => ({ title: titles[language].test, body: titles[language].testBody })
