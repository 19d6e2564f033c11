// The suite's kernels in device form, for devices that are no processors; kernels.c has the same for those. Workgroups
// of 64 threads, one element a thread. hone-cts-compile makes an image of them.

func.func @add(%a: memref<?xf32>, %b: memref<?xf32>, %out: memref<?xf32>, %n: index) attributes {hone.workgroup_size = 64 : i32} {
  %c64 = arith.constant 64 : index
  %block = gpu.block_id x
  %thread = gpu.thread_id x
  %base = arith.muli %block, %c64 : index
  %i = arith.addi %base, %thread : index
  %inside = arith.cmpi slt, %i, %n : index
  scf.if %inside {
    %x = memref.load %a[%i] : memref<?xf32>
    %y = memref.load %b[%i] : memref<?xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %out[%i] : memref<?xf32>
  }
  return
}

func.func @mul_scalar(%a: memref<?xf32>, %out: memref<?xf32>, %n: index, %factor: index) attributes {hone.workgroup_size = 64 : i32} {
  %c64 = arith.constant 64 : index
  %block = gpu.block_id x
  %thread = gpu.thread_id x
  %base = arith.muli %block, %c64 : index
  %i = arith.addi %base, %thread : index
  %inside = arith.cmpi slt, %i, %n : index
  scf.if %inside {
    %x = memref.load %a[%i] : memref<?xf32>
    %k = arith.index_cast %factor : index to i64
    %f = arith.sitofp %k : i64 to f32
    %z = arith.mulf %x, %f : f32
    memref.store %z, %out[%i] : memref<?xf32>
  }
  return
}

// 24 inputs.
func.func @sum_many(%b0: memref<?xf32>, %b1: memref<?xf32>, %b2: memref<?xf32>, %b3: memref<?xf32>, %b4: memref<?xf32>,
          %b5: memref<?xf32>, %b6: memref<?xf32>, %b7: memref<?xf32>, %b8: memref<?xf32>, %b9: memref<?xf32>,
          %b10: memref<?xf32>, %b11: memref<?xf32>, %b12: memref<?xf32>, %b13: memref<?xf32>, %b14: memref<?xf32>,
          %b15: memref<?xf32>, %b16: memref<?xf32>, %b17: memref<?xf32>, %b18: memref<?xf32>, %b19: memref<?xf32>,
          %b20: memref<?xf32>, %b21: memref<?xf32>, %b22: memref<?xf32>, %b23: memref<?xf32>, %out: memref<?xf32>,
          %n: index)
    attributes {hone.workgroup_size = 64 : i32} {
  %c64 = arith.constant 64 : index
  %block = gpu.block_id x
  %thread = gpu.thread_id x
  %base = arith.muli %block, %c64 : index
  %i = arith.addi %base, %thread : index
  %inside = arith.cmpi slt, %i, %n : index
  scf.if %inside {
    %s0 = memref.load %b0[%i] : memref<?xf32>
    %x1 = memref.load %b1[%i] : memref<?xf32>
    %s1 = arith.addf %s0, %x1 : f32
    %x2 = memref.load %b2[%i] : memref<?xf32>
    %s2 = arith.addf %s1, %x2 : f32
    %x3 = memref.load %b3[%i] : memref<?xf32>
    %s3 = arith.addf %s2, %x3 : f32
    %x4 = memref.load %b4[%i] : memref<?xf32>
    %s4 = arith.addf %s3, %x4 : f32
    %x5 = memref.load %b5[%i] : memref<?xf32>
    %s5 = arith.addf %s4, %x5 : f32
    %x6 = memref.load %b6[%i] : memref<?xf32>
    %s6 = arith.addf %s5, %x6 : f32
    %x7 = memref.load %b7[%i] : memref<?xf32>
    %s7 = arith.addf %s6, %x7 : f32
    %x8 = memref.load %b8[%i] : memref<?xf32>
    %s8 = arith.addf %s7, %x8 : f32
    %x9 = memref.load %b9[%i] : memref<?xf32>
    %s9 = arith.addf %s8, %x9 : f32
    %x10 = memref.load %b10[%i] : memref<?xf32>
    %s10 = arith.addf %s9, %x10 : f32
    %x11 = memref.load %b11[%i] : memref<?xf32>
    %s11 = arith.addf %s10, %x11 : f32
    %x12 = memref.load %b12[%i] : memref<?xf32>
    %s12 = arith.addf %s11, %x12 : f32
    %x13 = memref.load %b13[%i] : memref<?xf32>
    %s13 = arith.addf %s12, %x13 : f32
    %x14 = memref.load %b14[%i] : memref<?xf32>
    %s14 = arith.addf %s13, %x14 : f32
    %x15 = memref.load %b15[%i] : memref<?xf32>
    %s15 = arith.addf %s14, %x15 : f32
    %x16 = memref.load %b16[%i] : memref<?xf32>
    %s16 = arith.addf %s15, %x16 : f32
    %x17 = memref.load %b17[%i] : memref<?xf32>
    %s17 = arith.addf %s16, %x17 : f32
    %x18 = memref.load %b18[%i] : memref<?xf32>
    %s18 = arith.addf %s17, %x18 : f32
    %x19 = memref.load %b19[%i] : memref<?xf32>
    %s19 = arith.addf %s18, %x19 : f32
    %x20 = memref.load %b20[%i] : memref<?xf32>
    %s20 = arith.addf %s19, %x20 : f32
    %x21 = memref.load %b21[%i] : memref<?xf32>
    %s21 = arith.addf %s20, %x21 : f32
    %x22 = memref.load %b22[%i] : memref<?xf32>
    %s22 = arith.addf %s21, %x22 : f32
    %x23 = memref.load %b23[%i] : memref<?xf32>
    %s23 = arith.addf %s22, %x23 : f32
    memref.store %s23, %out[%i] : memref<?xf32>
  }
  return
}

func.func @store_scalars(%out: memref<?xi64>, %s0: index, %s1: index, %s2: index, %s3: index, %s4: index, %s5: index,
          %s6: index, %s7: index, %s8: index, %s9: index, %s10: index, %s11: index, %s12: index, %s13: index,
          %s14: index, %s15: index)
    attributes {hone.workgroup_size = 64 : i32} {
  %c0 = arith.constant 0 : index
  %thread = gpu.thread_id x
  %first = arith.cmpi eq, %thread, %c0 : index
  scf.if %first {
    %at0 = arith.constant 0 : index
    %v0 = arith.index_cast %s0 : index to i64
    memref.store %v0, %out[%at0] : memref<?xi64>
    %at1 = arith.constant 1 : index
    %v1 = arith.index_cast %s1 : index to i64
    memref.store %v1, %out[%at1] : memref<?xi64>
    %at2 = arith.constant 2 : index
    %v2 = arith.index_cast %s2 : index to i64
    memref.store %v2, %out[%at2] : memref<?xi64>
    %at3 = arith.constant 3 : index
    %v3 = arith.index_cast %s3 : index to i64
    memref.store %v3, %out[%at3] : memref<?xi64>
    %at4 = arith.constant 4 : index
    %v4 = arith.index_cast %s4 : index to i64
    memref.store %v4, %out[%at4] : memref<?xi64>
    %at5 = arith.constant 5 : index
    %v5 = arith.index_cast %s5 : index to i64
    memref.store %v5, %out[%at5] : memref<?xi64>
    %at6 = arith.constant 6 : index
    %v6 = arith.index_cast %s6 : index to i64
    memref.store %v6, %out[%at6] : memref<?xi64>
    %at7 = arith.constant 7 : index
    %v7 = arith.index_cast %s7 : index to i64
    memref.store %v7, %out[%at7] : memref<?xi64>
    %at8 = arith.constant 8 : index
    %v8 = arith.index_cast %s8 : index to i64
    memref.store %v8, %out[%at8] : memref<?xi64>
    %at9 = arith.constant 9 : index
    %v9 = arith.index_cast %s9 : index to i64
    memref.store %v9, %out[%at9] : memref<?xi64>
    %at10 = arith.constant 10 : index
    %v10 = arith.index_cast %s10 : index to i64
    memref.store %v10, %out[%at10] : memref<?xi64>
    %at11 = arith.constant 11 : index
    %v11 = arith.index_cast %s11 : index to i64
    memref.store %v11, %out[%at11] : memref<?xi64>
    %at12 = arith.constant 12 : index
    %v12 = arith.index_cast %s12 : index to i64
    memref.store %v12, %out[%at12] : memref<?xi64>
    %at13 = arith.constant 13 : index
    %v13 = arith.index_cast %s13 : index to i64
    memref.store %v13, %out[%at13] : memref<?xi64>
    %at14 = arith.constant 14 : index
    %v14 = arith.index_cast %s14 : index to i64
    memref.store %v14, %out[%at14] : memref<?xi64>
    %at15 = arith.constant 15 : index
    %v15 = arith.index_cast %s15 : index to i64
    memref.store %v15, %out[%at15] : memref<?xi64>
  }
  return
}

// More than fit into push constants.
func.func @store_many_scalars(%out: memref<?xi64>, %s0: index, %s1: index, %s2: index, %s3: index, %s4: index,
          %s5: index, %s6: index, %s7: index, %s8: index, %s9: index, %s10: index, %s11: index, %s12: index,
          %s13: index, %s14: index, %s15: index, %s16: index, %s17: index, %s18: index, %s19: index, %s20: index,
          %s21: index, %s22: index, %s23: index, %s24: index, %s25: index, %s26: index, %s27: index, %s28: index,
          %s29: index, %s30: index, %s31: index, %s32: index, %s33: index, %s34: index, %s35: index, %s36: index,
          %s37: index, %s38: index, %s39: index)
    attributes {hone.workgroup_size = 64 : i32} {
  %c0 = arith.constant 0 : index
  %thread = gpu.thread_id x
  %first = arith.cmpi eq, %thread, %c0 : index
  scf.if %first {
    %at0 = arith.constant 0 : index
    %v0 = arith.index_cast %s0 : index to i64
    memref.store %v0, %out[%at0] : memref<?xi64>
    %at1 = arith.constant 1 : index
    %v1 = arith.index_cast %s1 : index to i64
    memref.store %v1, %out[%at1] : memref<?xi64>
    %at2 = arith.constant 2 : index
    %v2 = arith.index_cast %s2 : index to i64
    memref.store %v2, %out[%at2] : memref<?xi64>
    %at3 = arith.constant 3 : index
    %v3 = arith.index_cast %s3 : index to i64
    memref.store %v3, %out[%at3] : memref<?xi64>
    %at4 = arith.constant 4 : index
    %v4 = arith.index_cast %s4 : index to i64
    memref.store %v4, %out[%at4] : memref<?xi64>
    %at5 = arith.constant 5 : index
    %v5 = arith.index_cast %s5 : index to i64
    memref.store %v5, %out[%at5] : memref<?xi64>
    %at6 = arith.constant 6 : index
    %v6 = arith.index_cast %s6 : index to i64
    memref.store %v6, %out[%at6] : memref<?xi64>
    %at7 = arith.constant 7 : index
    %v7 = arith.index_cast %s7 : index to i64
    memref.store %v7, %out[%at7] : memref<?xi64>
    %at8 = arith.constant 8 : index
    %v8 = arith.index_cast %s8 : index to i64
    memref.store %v8, %out[%at8] : memref<?xi64>
    %at9 = arith.constant 9 : index
    %v9 = arith.index_cast %s9 : index to i64
    memref.store %v9, %out[%at9] : memref<?xi64>
    %at10 = arith.constant 10 : index
    %v10 = arith.index_cast %s10 : index to i64
    memref.store %v10, %out[%at10] : memref<?xi64>
    %at11 = arith.constant 11 : index
    %v11 = arith.index_cast %s11 : index to i64
    memref.store %v11, %out[%at11] : memref<?xi64>
    %at12 = arith.constant 12 : index
    %v12 = arith.index_cast %s12 : index to i64
    memref.store %v12, %out[%at12] : memref<?xi64>
    %at13 = arith.constant 13 : index
    %v13 = arith.index_cast %s13 : index to i64
    memref.store %v13, %out[%at13] : memref<?xi64>
    %at14 = arith.constant 14 : index
    %v14 = arith.index_cast %s14 : index to i64
    memref.store %v14, %out[%at14] : memref<?xi64>
    %at15 = arith.constant 15 : index
    %v15 = arith.index_cast %s15 : index to i64
    memref.store %v15, %out[%at15] : memref<?xi64>
    %at16 = arith.constant 16 : index
    %v16 = arith.index_cast %s16 : index to i64
    memref.store %v16, %out[%at16] : memref<?xi64>
    %at17 = arith.constant 17 : index
    %v17 = arith.index_cast %s17 : index to i64
    memref.store %v17, %out[%at17] : memref<?xi64>
    %at18 = arith.constant 18 : index
    %v18 = arith.index_cast %s18 : index to i64
    memref.store %v18, %out[%at18] : memref<?xi64>
    %at19 = arith.constant 19 : index
    %v19 = arith.index_cast %s19 : index to i64
    memref.store %v19, %out[%at19] : memref<?xi64>
    %at20 = arith.constant 20 : index
    %v20 = arith.index_cast %s20 : index to i64
    memref.store %v20, %out[%at20] : memref<?xi64>
    %at21 = arith.constant 21 : index
    %v21 = arith.index_cast %s21 : index to i64
    memref.store %v21, %out[%at21] : memref<?xi64>
    %at22 = arith.constant 22 : index
    %v22 = arith.index_cast %s22 : index to i64
    memref.store %v22, %out[%at22] : memref<?xi64>
    %at23 = arith.constant 23 : index
    %v23 = arith.index_cast %s23 : index to i64
    memref.store %v23, %out[%at23] : memref<?xi64>
    %at24 = arith.constant 24 : index
    %v24 = arith.index_cast %s24 : index to i64
    memref.store %v24, %out[%at24] : memref<?xi64>
    %at25 = arith.constant 25 : index
    %v25 = arith.index_cast %s25 : index to i64
    memref.store %v25, %out[%at25] : memref<?xi64>
    %at26 = arith.constant 26 : index
    %v26 = arith.index_cast %s26 : index to i64
    memref.store %v26, %out[%at26] : memref<?xi64>
    %at27 = arith.constant 27 : index
    %v27 = arith.index_cast %s27 : index to i64
    memref.store %v27, %out[%at27] : memref<?xi64>
    %at28 = arith.constant 28 : index
    %v28 = arith.index_cast %s28 : index to i64
    memref.store %v28, %out[%at28] : memref<?xi64>
    %at29 = arith.constant 29 : index
    %v29 = arith.index_cast %s29 : index to i64
    memref.store %v29, %out[%at29] : memref<?xi64>
    %at30 = arith.constant 30 : index
    %v30 = arith.index_cast %s30 : index to i64
    memref.store %v30, %out[%at30] : memref<?xi64>
    %at31 = arith.constant 31 : index
    %v31 = arith.index_cast %s31 : index to i64
    memref.store %v31, %out[%at31] : memref<?xi64>
    %at32 = arith.constant 32 : index
    %v32 = arith.index_cast %s32 : index to i64
    memref.store %v32, %out[%at32] : memref<?xi64>
    %at33 = arith.constant 33 : index
    %v33 = arith.index_cast %s33 : index to i64
    memref.store %v33, %out[%at33] : memref<?xi64>
    %at34 = arith.constant 34 : index
    %v34 = arith.index_cast %s34 : index to i64
    memref.store %v34, %out[%at34] : memref<?xi64>
    %at35 = arith.constant 35 : index
    %v35 = arith.index_cast %s35 : index to i64
    memref.store %v35, %out[%at35] : memref<?xi64>
    %at36 = arith.constant 36 : index
    %v36 = arith.index_cast %s36 : index to i64
    memref.store %v36, %out[%at36] : memref<?xi64>
    %at37 = arith.constant 37 : index
    %v37 = arith.index_cast %s37 : index to i64
    memref.store %v37, %out[%at37] : memref<?xi64>
    %at38 = arith.constant 38 : index
    %v38 = arith.index_cast %s38 : index to i64
    memref.store %v38, %out[%at38] : memref<?xi64>
    %at39 = arith.constant 39 : index
    %v39 = arith.index_cast %s39 : index to i64
    memref.store %v39, %out[%at39] : memref<?xi64>
  }
  return
}

// Every workgroup counts itself: a grid that is cut or doubled shows.
func.func @count_groups(%out: memref<?xi32>) attributes {hone.workgroup_size = 64 : i32} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %block = gpu.block_id x
  %thread = gpu.thread_id x
  %first = arith.cmpi eq, %thread, %c0 : index
  scf.if %first {
    %old = memref.load %out[%block] : memref<?xi32>
    %new = arith.addi %old, %one : i32
    memref.store %new, %out[%block] : memref<?xi32>
  }
  return
}

func.func @increment(%x: memref<?xi32>, %n: index) attributes {hone.workgroup_size = 64 : i32} {
  %c64 = arith.constant 64 : index
  %block = gpu.block_id x
  %thread = gpu.thread_id x
  %base = arith.muli %block, %c64 : index
  %i = arith.addi %base, %thread : index
  %inside = arith.cmpi slt, %i, %n : index
  scf.if %inside {
    %one = arith.constant 1 : i32
    %old = memref.load %x[%i] : memref<?xi32>
    %new = arith.addi %old, %one : i32
    memref.store %new, %x[%i] : memref<?xi32>
  }
  return
}

func.func @reverse_bytes(%a: memref<?xi8>, %out: memref<?xi8>, %n: index) attributes {hone.workgroup_size = 64 : i32} {
  %c64 = arith.constant 64 : index
  %block = gpu.block_id x
  %thread = gpu.thread_id x
  %base = arith.muli %block, %c64 : index
  %i = arith.addi %base, %thread : index
  %inside = arith.cmpi slt, %i, %n : index
  scf.if %inside {
    %one = arith.constant 1 : index
    %last = arith.subi %n, %one : index
    %from = arith.subi %last, %i : index
    %byte = memref.load %a[%from] : memref<?xi8>
    memref.store %byte, %out[%i] : memref<?xi8>
  }
  return
}

// The sum of each workgroup's elements, by halves.
func.func @group_sums(%a: memref<?xi32>, %out: memref<?xi32>, %n: index) attributes {hone.workgroup_size = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0 : i32
  %shared = memref.alloc() : memref<64xi32, #gpu.address_space<workgroup>>
  %c64 = arith.constant 64 : index
  %block = gpu.block_id x
  %thread = gpu.thread_id x
  %base = arith.muli %block, %c64 : index
  %i = arith.addi %base, %thread : index
  %inside = arith.cmpi slt, %i, %n : index
  %value = scf.if %inside -> i32 {
    %x = memref.load %a[%i] : memref<?xi32>
    scf.yield %x : i32
  } else {
    scf.yield %zero : i32
  }
  memref.store %value, %shared[%thread] : memref<64xi32, #gpu.address_space<workgroup>>
  %rest = scf.for %step = %c0 to %c6 step %c1 iter_args(%half = %c32) -> index {
    gpu.barrier
    %adds = arith.cmpi slt, %thread, %half : index
    scf.if %adds {
      %other = arith.addi %thread, %half : index
      %x = memref.load %shared[%thread] : memref<64xi32, #gpu.address_space<workgroup>>
      %y = memref.load %shared[%other] : memref<64xi32, #gpu.address_space<workgroup>>
      %sum = arith.addi %x, %y : i32
      memref.store %sum, %shared[%thread] : memref<64xi32, #gpu.address_space<workgroup>>
    }
    %next = arith.divsi %half, %c2 : index
    scf.yield %next : index
  }
  %first = arith.cmpi eq, %thread, %c0 : index
  scf.if %first {
    %sum = memref.load %shared[%c0] : memref<64xi32, #gpu.address_space<workgroup>>
    memref.store %sum, %out[%block] : memref<?xi32>
  }
  return
}

// The number of elements that are not zero, and where they are.
func.func @nonzero(%a: memref<?xf32>, %count: memref<?xi64>, %indices: memref<?xi64>, %n: index) attributes {hone.workgroup_size = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %thread = gpu.thread_id x
  %first = arith.cmpi eq, %thread, %c0 : index
  scf.if %first {
    %found = scf.for %i = %c0 to %n step %c1 iter_args(%at = %c0) -> index {
      %x = memref.load %a[%i] : memref<?xf32>
      %counts = arith.cmpf une, %x, %zero : f32
      %next = scf.if %counts -> index {
        %index = arith.index_cast %i : index to i64
        memref.store %index, %indices[%at] : memref<?xi64>
        %more = arith.addi %at, %c1 : index
        scf.yield %more : index
      } else {
        scf.yield %at : index
      }
      scf.yield %next : index
    }
    %total = arith.index_cast %found : index to i64
    memref.store %total, %count[%c0] : memref<?xi64>
  }
  return
}

// One step of a loop: doubles the value, and says whether it is below the limit.
func.func @double_step(%value: memref<?xi64>, %again: memref<?xi8>, %limit: index) attributes {hone.workgroup_size = 64 : i32} {
  %c0 = arith.constant 0 : index
  %thread = gpu.thread_id x
  %first = arith.cmpi eq, %thread, %c0 : index
  scf.if %first {
    %old = memref.load %value[%c0] : memref<?xi64>
    %new = arith.addi %old, %old : i64
    memref.store %new, %value[%c0] : memref<?xi64>
    %most = arith.index_cast %limit : index to i64
    %below = arith.cmpi slt, %new, %most : i64
    %byte = arith.extui %below : i1 to i8
    memref.store %byte, %again[%c0] : memref<?xi8>
  }
  return
}
