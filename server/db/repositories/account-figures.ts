import type { Model } from 'mongoose';
import type { AccountRecord } from '../models/account.ts';

/** Figures of all accounts together. */
export function accountFigures(model: Model<AccountRecord>) {
  return {
    /** Sums the credits of all accounts and counts them, without tombstones. */
    async figures(): Promise<{ accounts: number; suspended: number; balance: number; used: number; granted: number }> {
      const [sums] = await model.aggregate<{ accounts: number; balance: number; used: number; granted: number }>([
        { $match: { deletedAt: null } },
        {
          $group: {
            _id: null,
            accounts: { $sum: 1 },
            balance: { $sum: '$balance' },
            used: { $sum: '$used' },
            granted: { $sum: '$granted' },
          },
        },
        { $project: { _id: 0, accounts: 1, balance: 1, used: 1, granted: 1 } },
      ]);
      const suspended = await model.countDocuments({ deletedAt: null, suspendedAt: { $ne: null } });
      return { accounts: 0, balance: 0, used: 0, granted: 0, ...sums, suspended };
    },
  };
}
