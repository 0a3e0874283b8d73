import { useEffect } from 'preact/hooks'
import { signedOut } from './api/client.ts'
import { administration } from './parts/administration-on-demand.ts'
import { onDemand } from './parts/on-demand.tsx'
import { Proof } from './parts/proof.tsx'
import { renewPush } from './parts/push-on-demand.ts'
import { Shell } from './shell.tsx'
import { language, texts } from './state/language.ts'
import { route } from './state/route.ts'
import { me, resumeSession } from './state/session.ts'
import { SignIn } from './views/sign-in.tsx'
import { TokenSignIn } from './views/token-sign-in.tsx'

const FirstSignIn = onDemand(async () => (await administration()).FirstSignIn)
const FirstAdministrator = onDemand(async () => (await administration()).FirstAdministrator)

/** Without a session, the sign-in shows; after a session has ended, over the current view. */
export function App() {
  useEffect(() => void resumeSession(), [])
  useEffect(() => {
    document.documentElement.lang = language.value
  }, [language.value])
  useEffect(renewPush, [me.value?.id, signedOut.value])
  const { value: at } = route
  if (at.view === 'invitation') return <FirstSignIn invitation={at.invitation} />
  if (at.view === 'setup') return <FirstAdministrator setup={at.setup} />
  if (at.view === 'token') return <TokenSignIn token={at.token} />
  if (me.value === undefined) return <p class="empty">{texts.value.loading}</p>
  if (me.value === null) return <SignIn />
  return (
    <>
      <Shell />
      <Proof />
      {signedOut.value && <SignIn again={me.value.login ?? ''} />}
    </>
  )
}
