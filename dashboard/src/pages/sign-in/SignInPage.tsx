import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { AuthLayout } from '../../layout/AuthLayout.tsx'
import { SingleSignOnButton, useSignInMethods } from './SignInOptions.tsx'
import { SignInForm } from './SignInForm.tsx'

export function SignInPage() {
  const { to = '/' } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  const { data: methods } = useSignInMethods()
  return (
    <AuthLayout title="Sign in">
      <p className="t2" style={{ marginTop: -12 }}>
        to <span className="strong">{location.host}</span>
      </p>
      <SignInForm onSignedIn={() => void navigate({ to })} />
      <SingleSignOnButton to={to} />
      {methods && (
        <p className="small t3">
          {methods.passwordReset ? (
            <Link to="/forgot-password" className="link">
              Forgot your password?
            </Link>
          ) : (
            <>
              Forgot your password? Ask your administrator for a reset link:{' '}
              <span className="code">cli member create --email</span>
            </>
          )}
        </p>
      )}
    </AuthLayout>
  )
}
