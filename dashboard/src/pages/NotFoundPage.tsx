import { Link } from '@tanstack/react-router'
import { AuthLayout } from '../layout/AuthLayout.tsx'

export const NotFoundPage = () => (
  <AuthLayout title="There is nothing here">
    <p className="t2">The address leads to no page of Dripline.</p>
    <p>
      <Link to="/" className="link">
        Go to the first page
      </Link>
    </p>
  </AuthLayout>
)
