import { useNavigate, useSearch } from '@tanstack/react-router'
import { Alone } from '../Alone.tsx'
import { ElsewhereButton } from './OtherWays.tsx'
import { SignInForm } from './SignInForm.tsx'

export function SignInPage() {
  const { to = '/' } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  return (
    <Alone title="Sign in">
      <p className="t2" style={{ marginTop: -12 }}>
        to <span className="strong">{location.host}</span>
      </p>
      <SignInForm onSignedIn={() => void navigate({ to })} />
      <ElsewhereButton to={to} />
      <p className="small t3">
        Nobody can send a forgotten password here. Whoever runs this service makes a link for a new one:{' '}
        <span className="code">cli member create --email</span>
      </p>
    </Alone>
  )
}
