import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { bytesOfBase32, stepAt, totpCode } from '../../src/core/operator/totp.ts'

/** An authenticator app that gives no code twice: that of the next step counts already (access.md#operators). */
export class Authenticator {
  readonly #secret: Uint8Array
  readonly #now: () => number
  #lastStep = 0

  /** `now`: the clock of the service, if that is not the machine's; on a busy machine the two drift apart. */
  constructor(secret: string, now: () => number) {
    this.#secret = bytesOfBase32(secret)
    this.#now = now
  }

  code(): string {
    this.#lastStep = Math.max(stepAt(this.#now()), this.#lastStep + 1)
    return totpCode(this.#secret, this.#lastStep)
  }
}

/**
 * The first sign-in on the screen, with the link of `tocsin operator add`, as far as the board. `url`: where this
 * browser reaches the service.
 */
export async function firstSignIn(
  page: Page,
  url: string,
  { link, password, now }: { readonly link: string; readonly password: string; readonly now?: () => number },
): Promise<Authenticator> {
  await page.goto(`${url}/console/${new URL(link).hash}`)
  await page.getByLabel('Choose a password').fill(password)
  const authenticator = await provesApp(page, now)
  await page.getByRole('link', { name: 'I have saved them' }).click()
  await page.getByText('Live', { exact: true }).waitFor()
  return authenticator
}

/** The first administrator on the screen, with the address of the start, as far as the board. */
export async function firstAdministrator(
  page: Page,
  url: string,
  { link, login, name, password }: Readonly<Record<'link' | 'login' | 'name' | 'password', string>>,
): Promise<Authenticator> {
  await page.goto(`${url}/console/${new URL(link).hash}`)
  await page.getByLabel('Your name').fill(name)
  await page.getByLabel('Login').fill(login)
  await page.getByLabel('Choose a password').fill(password)
  await page.getByRole('button', { name: 'Continue' }).click()
  const authenticator = await provesApp(page)
  await page.getByRole('link', { name: 'continue to the first steps' }).click()
  await page.getByRole('link', { name: 'Board', exact: true }).click()
  await page.getByText('Live', { exact: true }).waitFor()
  return authenticator
}

/** Enters the code of an authenticator app, as far as the recovery codes. */
export async function provesApp(page: Page, now: () => number = Date.now): Promise<Authenticator> {
  const authenticator = new Authenticator(
    ((await page.locator('.second code').textContent()) ?? '').replaceAll(' ', ''),
    now,
  )
  await page.getByLabel('The six digits').fill(authenticator.code())
  await page.getByRole('button', { name: 'Set up and sign in' }).click()
  await page.locator('.codes li').first().waitFor()
  assert.equal(await page.locator('.codes li').count(), 8)
  return authenticator
}

const MAX_TABS = 60

/** With the keyboard alone: Tab until something called `name` has the focus, then Enter. */
export async function pressesByKeyboard(page: Page, name: RegExp): Promise<void> {
  const seen: string[] = []
  for (let n = 0; n < MAX_TABS; n += 1) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate<string>("document.activeElement?.textContent ?? ''")
    if (name.test(focused)) return page.keyboard.press('Enter')
    seen.push(focused.slice(0, 40))
  }
  assert.fail(`the keyboard does not reach ${name}: ${seen.join(' | ')}`)
}
