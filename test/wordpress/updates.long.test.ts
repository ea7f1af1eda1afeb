import { expect, it } from 'vitest';
import { useRig } from './use-rig.ts';

const { rig } = useRig();

/** Installs the plugin over a version of the table, and returns which roles may spend credits afterwards. */
const spendersAfter = (version: string) =>
  rig.site.php<string[]>(`${version}
    imagewright()->get( Imagewright_Lifecycle::class )->install();
    return array_keys( array_filter( wp_roles()->roles, static function ( $role ) {
      return ! empty( $role['capabilities'][ Imagewright_Access::SPEND ] );
    } ) );`);

it('an update leaves the roles that may spend credits as the settings have them; the first installation chooses them', async () => {
  await rig.site.php('imagewright()->get( Imagewright_Access::class )->choose_spenders( array( "editor" ) );');
  const earlier = 'update_option( Imagewright_Index::OPTION, Imagewright_Index::VERSION - 1 );';
  expect(await spendersAfter(earlier)).toEqual(['administrator', 'editor']);
  expect(await spendersAfter('delete_option( Imagewright_Index::OPTION );')).toEqual([
    'administrator',
    'editor',
    'author',
  ]);
});
