// RUN: hone-opt %s --hone-verify-device-form --split-input-file --verify-diagnostics

func.func @good(%x: memref<?xf32>, %y: memref<?xi8>, %n: index) attributes {hone.workgroup_size = 64 : i32} {
  %c0 = arith.constant 0 : index
  %own = memref.alloca() : memref<4xf16>
  %shared = memref.alloca() : memref<64xf32, #gpu.address_space<workgroup>>
  %part = memref.view %y[%c0][%n] : memref<?xi8> to memref<?xf64>
  %thread = gpu.thread_id x
  %block = gpu.block_id x
  scf.for %i = %thread to %n step %n {
    %v = memref.load %x[%i] : memref<?xf32>
    %w = math.exp %v : f32
    memref.store %w, %shared[%thread] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
  }
  %several = vector.load %x[%c0] : memref<?xf32>, vector<4xf32>
  %first = vector.extract %several[0] : f32 from vector<4xf32>
  %all = vector.broadcast %first : f32 to vector<4xf32>
  vector.store %all, %x[%c0] : memref<?xf32>, vector<4xf32>
  return
}

// -----

func.func @op(%x: memref<?xf32>, %n: index) attributes {hone.workgroup_size = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{is not part of device form}}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.reduce
  }
  return
}

// -----

func.func @type(%x: memref<?xi16>) attributes {hone.workgroup_size = 64 : i32} {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<?xi16>
  // expected-error @+1 {{has the type 'bf16', which is not part of device form}}
  %f = arith.bitcast %v : i16 to bf16
  return
}

// -----

// expected-error @+1 {{takes a 'memref<4x4xf32>', which is no buffer of a device or stands after scalars}}
func.func @argument(%x: memref<4x4xf32>) attributes {hone.workgroup_size = 64 : i32} {
  return
}

// -----

// expected-error @+1 {{takes a 'memref<?xf32>', which is no buffer of a device or stands after scalars}}
func.func @order(%n: index, %x: memref<?xf32>) attributes {hone.workgroup_size = 64 : i32} {
  return
}

// -----

func.func @allocation(%n: index) attributes {hone.workgroup_size = 64 : i32} {
  // expected-error @+1 {{is not part of device form}}
  %x = memref.alloc() : memref<4xf32>
  return
}

// -----

// Left alone: no workgroup.
func.func @left_alone(%x: memref<4x4xf32>) {
  return
}

// -----

// An empty body stands for a text of the backend.
func.func @text(%x: memref<?xbf16>, %n: index) attributes {hone.workgroup_size = 64 : i32} {
  return
}

// -----

func.func @arithmetic_of_several(%x: memref<?xf32>) attributes {hone.workgroup_size = 64 : i32} {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<?xf32>, vector<4xf32>
  // expected-error @+1 {{has the type 'vector<4xf32>', which is not part of device form}}
  %w = arith.addf %v, %v : vector<4xf32>
  return
}
