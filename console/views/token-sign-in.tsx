import { useEffect, useState } from 'preact/hooks'
import { Empty, Problem } from '../parts/controls.tsx'
import { texts } from '../state/language.ts'
import { useToken } from '../state/session.ts'

/** The page with which a wall screen is set up. The token is removed from its address at once. */
export function TokenSignIn({ token }: { readonly token: string }) {
  const [failed, fail] = useState(false)
  useEffect(() => {
    useToken(token).then(
      () => location.replace('#/wall'),
      () => fail(true),
    )
  }, [token])
  return (
    <div class="sign-in">
      <main>
        <h1>Tocsin</h1>
        {failed ? <Problem text={texts.value.signIn.wrongToken} /> : <Empty>{texts.value.loading}</Empty>}
        {failed && <a href="#/">{texts.value.signIn.withPassword}</a>}
      </main>
    </div>
  )
}
