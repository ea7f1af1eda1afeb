import type { Migration } from './migration.ts';

/** An account as it was stored, as far as it is needed. */
interface OlderAccount {
  _id: string;
  email: string;
  plan: string;
  role?: string;
  deletedAt?: Date | null;
}

/** Address of a first account that nobody has claimed. */
const UNCLAIMED = 'owner@imagewright.local';

/** Gives the first account the plan that a new service gives it; earlier services gave it the default one. */
export const ownerPlan: Migration = {
  name: 'the first account gets the plan agency, unless an operator has set its plan',
  async apply(connection, report) {
    const accounts = connection.collection<OlderAccount>('accounts');
    const [first] = await accounts.find({}).sort({ createdAt: 1, _id: 1 }).limit(1).toArray();
    if (!first || first.deletedAt) return;
    const isOwner = first.role === 'operator' || first.email === UNCLAIMED;
    // Accounts of the command line have no role; where somebody else is the operator, the oldest account is a customer's.
    if (!isOwner && (await accounts.findOne({ role: 'operator' }))) return;
    const isSet = await connection.collection('operator_log').findOne({ target: first._id, action: 'account.plan' });
    if (isSet || first.plan !== 'free') return;
    await accounts.updateOne({ _id: first._id, plan: 'free' }, { $set: { plan: 'agency' } });
    report(1);
  },
};
