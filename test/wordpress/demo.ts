// `npm run demo:wordpress`: a service and a WordPress with the plugin active and photographs in its library, until Ctrl+C.
import { FIXTURES } from '../support/api-client.ts';
import { photograph, type StartedRig, startRig } from './rig.ts';

const PHOTOGRAPHS = ['mountains', 'stream', 'dandelion', 'dogs-portrait', 'nuthatch'];

let rig: StartedRig | null = null;
let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    console.log('\nStopping …');
    // Parts that are still starting end with this process.
    void Promise.resolve(rig?.stop()).finally(() => process.exit(0));
  });
}

console.log('Starting the service and WordPress …');
rig = await startRig({ credits: 100 });
try {
  const admin = await rig.site.logIn();
  // The photographs wait for a click; those that the user adds are optimized by themselves.
  await rig.site.php('update_option( "imagewright_settings", array( "auto" => false ) );');
  for (const name of PHOTOGRAPHS) {
    console.log(`Adding ${name}.jpg to the library …`);
    const portrait = name === 'dogs-portrait';
    const bytes = await photograph(portrait ? 1500 : 2000, { name: `photo-${name}.jpg` });
    await admin.upload(`${name}.jpg`, bytes, 'image/jpeg');
  }
  await rig.site.php('delete_option( "imagewright_settings" );');
} catch (error) {
  // The connection is closed during the request.
  if (!stopping) await rig.stop();
  if (!stopping) throw error;
}

const engine = rig.site.engine === 'native' ? 'the PHP of this machine' : 'PHP as WebAssembly';
console.log(`
WordPress runs with ${engine}.

  Log in:    ${rig.site.url}/wp-login.php   admin / password
  Optimize:  ${rig.site.url}/wp-admin/upload.php?page=imagewright-optimize
  Library:   ${rig.site.url}/wp-admin/upload.php?mode=list
  Settings:  ${rig.site.url}/wp-admin/options-general.php?page=imagewright
  Service:   ${rig.service.url}/docs   (100 credits; photographs: ${FIXTURES}photos/LICENSES.md)

Ctrl+C ends it and removes everything.`);
