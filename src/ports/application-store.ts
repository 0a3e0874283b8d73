import type { Actuators } from '../core/account/actuator.ts'
import type { ActuatorType } from '../core/account/actuator-types.ts'
import type { Application, ApplicationUpdate } from '../core/account/application.ts'
import type { Settings } from '../core/account/settings.ts'
import type { TextKey } from '../core/text/own-texts.ts'
import type { Language } from '../core/text/phrases.ts'

/** The integrating applications. Every change that could end a session leaves a notice for the running service. */
export type ApplicationStore = {
  createApplication(application: Application, secret: string): Promise<void>
  applications(): Promise<readonly Application[]>
  application(appId: string): Promise<Application | null>
  updateApplication(
    appId: string,
    update: ApplicationUpdate,
  ): Promise<Application | { readonly refused: 'application_not_found' }>
  /** Sets one text in place of the built-in one; null removes it. */
  setText(
    appId: string,
    language: Language,
    key: TextKey,
    text: string | null,
  ): Promise<Application | { readonly refused: 'application_not_found' }>
  /** Replaces one actuator's target (null removes it) and merges `settings` into the application's settings. */
  setActuator<T extends ActuatorType>(
    appId: string,
    type: T,
    target: Actuators[T] | null,
    settings: Partial<Settings>,
  ): Promise<Application | { readonly refused: 'application_not_found' }>
  addSecret(
    appId: string,
    secret: string,
    now: number,
  ): Promise<{ readonly added: true } | { readonly refused: 'application_not_found' | 'two_secrets_already' }>
  /** Retires the older of two secrets. */
  retireSecret(
    appId: string,
  ): Promise<{ readonly retired: true } | { readonly refused: 'application_not_found' | 'only_one_secret' }>
}

/** `day`: its beginning in UTC, epoch ms. */
export type CountedEnds = { readonly appId: string; readonly day: number; readonly count: number }

/** Ends that named no alarm, by application and day. rules.md#ends. */
export type UnnamedEndsStore = {
  /** Adds these, each application and day at most once in a call. */
  addUnnamedEnds(counted: readonly CountedEnds[]): Promise<void>
  /**
   * The applications with such ends on `since` (epoch ms) or later: those with the most first, at most `max`. `appIds`:
   * only of these; null: of all.
   */
  unnamedEnds(since: number, max: number, appIds: readonly string[] | null): Promise<readonly UnnamedEnds[]>
}

export type UnnamedEnds = { readonly application: string; readonly count: number }
