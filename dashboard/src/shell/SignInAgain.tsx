import { Modal } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { SignInForm } from '../pages/sign-in/SignInForm.tsx'

/** Over the page, because what is typed in it is not to be lost. */
export function SignInAgain({ email }: { email: string }) {
  const client = useQueryClient()
  return (
    <Modal opened onClose={() => undefined} withCloseButton={false} title="You are signed out" centered>
      <p className="t2" style={{ marginBottom: 16 }}>
        Your session has ended. Sign in to go on; what you have typed is still here.
      </p>
      <SignInForm email={email} onSignedIn={() => void client.invalidateQueries()} />
    </Modal>
  )
}
