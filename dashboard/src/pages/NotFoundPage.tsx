import { Link } from '@tanstack/react-router'
import { AuthLayout } from '../layout/AuthLayout.tsx'

export const NotFoundPage = () => (
  <AuthLayout title="Page not found">
    <p className="t2">We couldn’t find that page.</p>
    <p>
      <Link to="/" className="link">
        Go to Home
      </Link>
    </p>
  </AuthLayout>
)
