import { texts } from '../state/language.ts'

/** The app's purpose, and its limits. */
export function About() {
  const t = texts.value.join
  return (
    <>
      <p>{t.what}</p>
      <h3>{t.whatNot}</h3>
      <ul class="plain">
        <li>{t.notTracker}</li>
        <li>{t.notWithout}</li>
        <li>{t.notRescue}</li>
      </ul>
    </>
  )
}
