/** An application whose people use the app in the box (`app update --web-app on`), as it may be shown to anyone. */
export type WebApp = {
  readonly id: string
  readonly name: string
  /** `#rrggbb`. */
  readonly colour: string
  /** Such as 112. */
  readonly emergencyNumber: string
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null
  /** The number that takes an SOS by SMS; null: none does. */
  readonly smsNumber: string | null
}

/** The applications that have the app switched on. */
export type WebApps = {
  readonly isAnyOn: () => Promise<boolean>
  /** Null: there is no such application, or it has the app switched off. */
  readonly find: (appId: string) => Promise<WebApp | null>
}

/** The CA of this site. `names`: all that it can sign for. */
export type LocalCa = { readonly pem: string; readonly fingerprint: string; readonly names: readonly string[] }
